#include "CDraco.h"

#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct meshpipe_draco_encoder {
  draco::Mesh mesh;
  std::vector<meshpipe_draco_attribute> attributes;
  draco::EncoderBuffer buffer;
  size_t points = 0;
  size_t faces = 0;
};

namespace {

draco::GeometryAttribute::Type native(meshpipe_draco_kind kind) {
  switch (kind) {
  case meshpipe_draco_position: return draco::GeometryAttribute::POSITION;
  case meshpipe_draco_normal: return draco::GeometryAttribute::NORMAL;
  case meshpipe_draco_color: return draco::GeometryAttribute::COLOR;
  case meshpipe_draco_texture_coordinate: return draco::GeometryAttribute::TEX_COORD;
  case meshpipe_draco_generic: break;
  }
  return draco::GeometryAttribute::GENERIC;
}

draco::DataType native(meshpipe_draco_type type) {
  switch (type) {
  case meshpipe_draco_int8: return draco::DT_INT8;
  case meshpipe_draco_uint8: return draco::DT_UINT8;
  case meshpipe_draco_int16: return draco::DT_INT16;
  case meshpipe_draco_uint16: return draco::DT_UINT16;
  case meshpipe_draco_uint32: return draco::DT_UINT32;
  case meshpipe_draco_float32: break;
  }
  return draco::DT_FLOAT32;
}

/// Floats within what the bits can say; Draco itself doesn't check them.
void confine(float *value, const meshpipe_draco_attribute &form) {
  for (int i = 0; i < form.components; i++) {
    if (!std::isfinite(value[i])) value[i] = 0;
    if (form.kind == meshpipe_draco_normal) continue;
    value[i] = std::clamp(value[i], form.origin[i], form.origin[i] + form.range);
  }
}

/// Appends the least and the greatest value that the bits can say, which no point has.
///
/// Draco takes the range of what it rounds from the values. It can be told one, but keeps that with six decimals.
void append_range(draco::PointAttribute *attribute, const meshpipe_draco_attribute &form) {
  float greatest[4];
  for (int i = 0; i < form.components; i++) greatest[i] = form.origin[i] + form.range;
  attribute->SetAttributeValue(draco::AttributeValueIndex(form.value_count), form.origin);
  attribute->SetAttributeValue(draco::AttributeValueIndex(form.value_count + 1), greatest);
}

void add(draco::Mesh &mesh, const meshpipe_draco_attribute &form, const void *values) {
  const draco::DataType type = native(form.type);
  const size_t size = form.components * draco::DataTypeLength(type);
  draco::GeometryAttribute kind;
  kind.Init(native(form.kind), nullptr, form.components, type, form.is_normalized, size, 0);
  const bool has_range = form.bits > 0 && form.kind != meshpipe_draco_normal;
  const int number = mesh.AddAttribute(kind, form.places == nullptr && !has_range,
                                       form.value_count + (has_range ? 2 : 0));
  draco::PointAttribute *attribute = mesh.attribute(number);
  const uint8_t *source = static_cast<const uint8_t *>(values);
  for (draco::AttributeValueIndex i(0); i < form.value_count; ++i, source += form.stride) {
    float value[4];
    std::memcpy(value, source, size);
    if (form.bits > 0) confine(value, form);
    attribute->SetAttributeValue(i, value);
  }
  if (has_range) append_range(attribute, form);
  if (form.places || has_range)
    for (draco::PointIndex i(0); i < mesh.num_points(); ++i)
      attribute->SetPointMapEntry(i, draco::AttributeValueIndex(form.places ? form.places[i.value()] : i.value()));
  if (form.joins_values) attribute->DeduplicateValues(*attribute);
}

bool encode(meshpipe_draco_encoder &work, int method, int speed, std::string *reason) {
  draco::ExpertEncoder encoder(work.mesh);
  encoder.SetEncodingMethod(method);
  encoder.SetSpeedOptions(speed, speed);
  encoder.SetTrackEncodedProperties(true);
  for (size_t i = 0; i < work.attributes.size(); i++) {
    const meshpipe_draco_attribute &form = work.attributes[i];
    if (form.bits > 0) encoder.SetAttributeQuantization(static_cast<int>(i), form.bits);
  }
  work.buffer.Clear();
  const draco::Status status = encoder.EncodeToBuffer(&work.buffer);
  *reason = status.error_msg_string();
  work.points = encoder.num_encoded_points();
  work.faces = encoder.num_encoded_faces();
  return status.ok();
}

} // namespace

meshpipe_draco_encoder *meshpipe_draco_make_encoder(const uint32_t *indices, size_t face_count,
                                                    size_t point_count) {
  try {
    auto result = std::make_unique<meshpipe_draco_encoder>();
    result->mesh.set_num_points(static_cast<uint32_t>(point_count));
    result->mesh.SetNumFaces(face_count);
    for (draco::FaceIndex face(0); face < face_count; ++face, indices += 3)
      result->mesh.SetFace(face, {draco::PointIndex(indices[0]), draco::PointIndex(indices[1]),
                                  draco::PointIndex(indices[2])});
    return result.release();
  } catch (const std::exception &) {
    return nullptr;
  }
}

bool meshpipe_draco_add(meshpipe_draco_encoder *encoder, const meshpipe_draco_attribute *attribute,
                        const void *values) {
  try {
    add(encoder->mesh, *attribute, values);
    encoder->attributes.push_back(*attribute);
    encoder->attributes.back().places = nullptr;
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

bool meshpipe_draco_encode(meshpipe_draco_encoder *encoder, int speed, char *error,
                           size_t error_size) {
  std::string reason = "memory is short";
  try {
    // Edgebreaker has no form for a mesh without a face of three different vertices.
    if (encode(*encoder, draco::MESH_EDGEBREAKER_ENCODING, speed, &reason) ||
        encode(*encoder, draco::MESH_SEQUENTIAL_ENCODING, speed, &reason))
      return true;
  } catch (const std::exception &) {
    reason = "memory is short";
  }
  if (error_size > 0) std::snprintf(error, error_size, "%s", reason.c_str());
  return false;
}

const uint8_t *meshpipe_draco_bytes(const meshpipe_draco_encoder *encoder) {
  return reinterpret_cast<const uint8_t *>(encoder->buffer.data());
}

size_t meshpipe_draco_size(const meshpipe_draco_encoder *encoder) { return encoder->buffer.size(); }

size_t meshpipe_draco_encoded_points(const meshpipe_draco_encoder *encoder) { return encoder->points; }

size_t meshpipe_draco_encoded_faces(const meshpipe_draco_encoder *encoder) { return encoder->faces; }

void meshpipe_draco_free_encoder(meshpipe_draco_encoder *encoder) { delete encoder; }
