#include "CDraco.h"

#include <draco/compression/config/compression_shared.h>
#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/compression/point_cloud/point_cloud_kd_tree_decoder.h>
#include <draco/compression/point_cloud/point_cloud_sequential_decoder.h>
#include <draco/core/draco_version.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>

struct meshpipe_draco_mesh {
  draco::Mesh mesh;
};

namespace {

constexpr const char *out_of_memory = "memory is short";

/// What a decoder may be asked for, and what it refused.
struct Limits {
  uint64_t most_elements;
  /// Whether it takes points, and data older than glTF's.
  bool takes_files;
  const char *fault = nullptr;
};

/// The codecs, each of which begins with its counts.
enum class Codec { edgebreaker, sequential, points };

template <class Decoder> constexpr Codec codec_of() {
  if (std::is_same_v<Decoder, draco::MeshEdgebreakerDecoder>) return Codec::edgebreaker;
  return std::is_same_v<Decoder, draco::MeshSequentialDecoder> ? Codec::sequential : Codec::points;
}

/// The points and faces that the data claim, which follow the header.
template <Codec codec>
bool claimed_counts(draco::DecoderBuffer ahead, uint16_t version, uint64_t *faces, uint64_t *points) {
  // Versions before 2.2 have another count first, and fixed widths for longer.
  const bool has_more = codec == Codec::edgebreaker && version < DRACO_BITSTREAM_VERSION(2, 2);
  const bool has_varints = codec == Codec::edgebreaker ? version >= DRACO_BITSTREAM_VERSION(2, 0)
                                                       : codec == Codec::sequential &&
                                                             version >= DRACO_BITSTREAM_VERSION(2, 2);
  uint32_t numbers[3] = {0, 0, 0};
  const int count = codec == Codec::points ? 1 : has_more ? 3 : 2;
  for (int i = 0; i < count; i++)
    if (!(has_varints ? draco::DecodeVarint(&numbers[i], &ahead) : ahead.Decode(&numbers[i]))) return false;
  switch (codec) {
  case Codec::edgebreaker:
    *faces = numbers[count - 1];
    // The points of edgebreaker's corners are found on the way.
    *points = 3 * *faces;
    break;
  case Codec::sequential:
    *faces = numbers[0];
    *points = numbers[1];
    break;
  case Codec::points: *points = numbers[0]; break;
  }
  return true;
}

/// A decoder that checks claims before it takes memory for them.
template <class Decoder> class LimitedDecoder final : public Decoder {
public:
  explicit LimitedDecoder(Limits &limits) : limits(limits) {}

protected:
  bool DecodeGeometryData() override {
    if (!limits.takes_files && this->bitstream_version() < DRACO_BITSTREAM_VERSION(2, 2))
      return refuse("the data are of an older version of Draco than glTF has");
    uint64_t faces = 0, points = 0;
    if (!claimed_counts<codec_of<Decoder>()>(*this->buffer(), this->bitstream_version(), &faces, &points))
      return false;
    if (3 * faces > limits.most_elements || points > limits.most_elements)
      return refuse(codec_of<Decoder>() == Codec::points ? "the data claim more points than plausible"
                                                         : "the data claim more faces than plausible");
    return Decoder::DecodeGeometryData();
  }

  bool DecodeAllAttributes() override {
    const draco::PointCloud *cloud = this->point_cloud();
    uint64_t numbers = 0;
    for (int i = 0; i < cloud->num_attributes(); i++)
      numbers += static_cast<uint64_t>(cloud->attribute(i)->num_components()) * cloud->num_points();
    if (cloud->num_points() > limits.most_elements || numbers / 4 > limits.most_elements)
      return refuse("the data claim more attributes than plausible");
    return Decoder::DecodeAllAttributes();
  }

private:
  bool refuse(const char *reason) {
    limits.fault = reason;
    return false;
  }

  Limits &limits;
};

template <class Decoder> bool decode(draco::DecoderBuffer &buffer, Limits &limits, draco::Mesh *mesh) {
  LimitedDecoder<Decoder> decoder(limits);
  // Points are decoded as a mesh without faces.
  return decoder.Decode(draco::DecoderOptions(), &buffer, mesh).ok();
}

/// Decodes with the codec that a header names.
bool decode(const draco::DracoHeader &header, draco::DecoderBuffer &buffer, Limits &limits, draco::Mesh *mesh) {
  if (header.encoder_type == draco::TRIANGULAR_MESH) {
    switch (header.encoder_method) {
    case draco::MESH_SEQUENTIAL_ENCODING: return decode<draco::MeshSequentialDecoder>(buffer, limits, mesh);
    case draco::MESH_EDGEBREAKER_ENCODING: return decode<draco::MeshEdgebreakerDecoder>(buffer, limits, mesh);
    }
  } else if (header.encoder_type == draco::POINT_CLOUD) {
    switch (header.encoder_method) {
    case draco::POINT_CLOUD_SEQUENTIAL_ENCODING:
      return decode<draco::PointCloudSequentialDecoder>(buffer, limits, mesh);
    case draco::POINT_CLOUD_KD_TREE_ENCODING: return decode<draco::PointCloudKdTreeDecoder>(buffer, limits, mesh);
    }
  }
  return false;
}

/// Returns the reason if there is no mesh.
const char *decode(const uint8_t *bytes, size_t size, Limits &limits, draco::Mesh *mesh) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char *>(bytes), size);
  draco::DecoderBuffer ahead = buffer;
  draco::DracoHeader header;
  if (!draco::PointCloudDecoder::DecodeHeader(&ahead, &header).ok()) return "the data are not Draco's";
  if (header.encoder_type != draco::TRIANGULAR_MESH && !limits.takes_files)
    return "the data are points instead of a mesh";
  if (decode(header, buffer, limits, mesh)) return nullptr;
  return limits.fault ? limits.fault : "the compressed data are damaged, or of a newer version of Draco";
}

meshpipe_draco_kind kind(draco::GeometryAttribute::Type type) {
  switch (type) {
  case draco::GeometryAttribute::POSITION: return meshpipe_draco_position;
  case draco::GeometryAttribute::NORMAL: return meshpipe_draco_normal;
  case draco::GeometryAttribute::COLOR: return meshpipe_draco_color;
  case draco::GeometryAttribute::TEX_COORD: return meshpipe_draco_texture_coordinate;
  default: return meshpipe_draco_generic;
  }
}

template <class Number>
bool convert(const draco::Mesh &mesh, const draco::PointAttribute &attribute, void *values) {
  Number *target = static_cast<Number *>(values);
  const int8_t width = attribute.num_components();
  for (draco::PointIndex point(0); point < mesh.num_points(); ++point) {
    const draco::AttributeValueIndex place = attribute.mapped_index(point);
    if (place.value() >= attribute.size() || !attribute.ConvertValue(place, width, target)) return false;
    target += width;
  }
  return true;
}

} // namespace

const char *meshpipe_draco_version(void) { return draco::kDracoVersion; }

meshpipe_draco_mesh *meshpipe_draco_decode(const uint8_t *bytes, size_t size, bool takes_files,
                                           uint64_t most_elements, char *error, size_t error_size) {
  const char *fault = out_of_memory;
  try {
    auto result = std::make_unique<meshpipe_draco_mesh>();
    Limits limits{most_elements, takes_files};
    fault = decode(bytes, size, limits, &result->mesh);
    if (!fault) return result.release();
  } catch (const std::bad_alloc &) {
    fault = out_of_memory;
  } catch (const std::exception &) {
    fault = "the compressed data are damaged";
  }
  if (error_size > 0) std::snprintf(error, error_size, "%s", fault);
  return nullptr;
}

size_t meshpipe_draco_point_count(const meshpipe_draco_mesh *mesh) { return mesh->mesh.num_points(); }

size_t meshpipe_draco_face_count(const meshpipe_draco_mesh *mesh) { return mesh->mesh.num_faces(); }

void meshpipe_draco_indices(const meshpipe_draco_mesh *mesh, uint32_t *indices) {
  for (draco::FaceIndex face(0); face < mesh->mesh.num_faces(); ++face)
    for (draco::PointIndex point : mesh->mesh.face(face)) *indices++ = point.value();
}

size_t meshpipe_draco_attribute_count(const meshpipe_draco_mesh *mesh) { return mesh->mesh.num_attributes(); }

void meshpipe_draco_describe(const meshpipe_draco_mesh *mesh, size_t index, meshpipe_draco_description *description) {
  const draco::PointAttribute *attribute = mesh->mesh.attribute(static_cast<int32_t>(index));
  description->identifier = attribute->unique_id();
  description->kind = kind(attribute->attribute_type());
  description->components = attribute->num_components();
  description->size = draco::DataTypeLength(attribute->data_type());
  description->is_integer = draco::IsDataTypeIntegral(attribute->data_type());
}

int meshpipe_draco_components(const meshpipe_draco_mesh *mesh, uint32_t identifier) {
  const draco::PointAttribute *attribute = mesh->mesh.GetAttributeByUniqueId(identifier);
  return attribute ? attribute->num_components() : 0;
}

bool meshpipe_draco_values(const meshpipe_draco_mesh *mesh, uint32_t identifier,
                           meshpipe_draco_type type, void *values) {
  const draco::PointAttribute *attribute = mesh->mesh.GetAttributeByUniqueId(identifier);
  if (!attribute) return false;
  switch (type) {
  case meshpipe_draco_int8: return convert<int8_t>(mesh->mesh, *attribute, values);
  case meshpipe_draco_uint8: return convert<uint8_t>(mesh->mesh, *attribute, values);
  case meshpipe_draco_int16: return convert<int16_t>(mesh->mesh, *attribute, values);
  case meshpipe_draco_uint16: return convert<uint16_t>(mesh->mesh, *attribute, values);
  case meshpipe_draco_uint32: return convert<uint32_t>(mesh->mesh, *attribute, values);
  case meshpipe_draco_float32: return convert<float>(mesh->mesh, *attribute, values);
  }
  return false;
}

void meshpipe_draco_free_mesh(meshpipe_draco_mesh *mesh) { delete mesh; }
