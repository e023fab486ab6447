#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Draco's interface is C++, with exceptions, so that Swift can't call it.

// The types of components.
typedef enum {
  meshpipe_draco_int8,
  meshpipe_draco_uint8,
  meshpipe_draco_int16,
  meshpipe_draco_uint16,
  meshpipe_draco_uint32,
  meshpipe_draco_float32
} meshpipe_draco_type;

// The version of Draco's headers, as 1.5.5.
const char *meshpipe_draco_version(void);

// What an attribute is for the predictions of the codec.
typedef enum {
  meshpipe_draco_position,
  meshpipe_draco_normal,
  meshpipe_draco_color,
  meshpipe_draco_texture_coordinate,
  meshpipe_draco_generic
} meshpipe_draco_kind;

// A decoded mesh, or points as one without faces.
typedef struct meshpipe_draco_mesh meshpipe_draco_mesh;

// Decodes a mesh of bitstream 2.2, as KHR_draco_mesh_compression has it, or with `takes_files` what a file may hold: points,
// too, and of any version.
//
// What the data claim is checked before memory is taken: at most `most_elements` points and corners of faces together,
// and at most four times as many numbers in all attributes. Returns NULL with the reason in `error`.
meshpipe_draco_mesh *meshpipe_draco_decode(const uint8_t *bytes, size_t size, bool takes_files,
                                           uint64_t most_elements, char *error, size_t error_size);
size_t meshpipe_draco_point_count(const meshpipe_draco_mesh *mesh);
size_t meshpipe_draco_face_count(const meshpipe_draco_mesh *mesh);
// Three points for each face.
void meshpipe_draco_indices(const meshpipe_draco_mesh *mesh, uint32_t *indices);

// An attribute of a decoded mesh.
typedef struct {
  uint32_t identifier;
  meshpipe_draco_kind kind;
  int components;
  // Of a component, in bytes.
  int size;
  bool is_integer;
} meshpipe_draco_description;

size_t meshpipe_draco_attribute_count(const meshpipe_draco_mesh *mesh);
void meshpipe_draco_describe(const meshpipe_draco_mesh *mesh, size_t index, meshpipe_draco_description *description);
// The components of the attribute with an identifier; 0 if there is none.
int meshpipe_draco_components(const meshpipe_draco_mesh *mesh, uint32_t identifier);
// The values of an attribute for each point, one after the other; false if the type can't hold them.
bool meshpipe_draco_values(const meshpipe_draco_mesh *mesh, uint32_t identifier,
                           meshpipe_draco_type type, void *values);
void meshpipe_draco_free_mesh(meshpipe_draco_mesh *mesh);

typedef struct {
  meshpipe_draco_kind kind;
  meshpipe_draco_type type;
  int components;
  bool is_normalized;
  // The bytes from one value to the next.
  size_t stride;
  size_t value_count;
  // The value of each point; NULL if point i has value i.
  const uint32_t *places;
  // Whether to look for values that are the same; otherwise two values are two vertices for the codec.
  bool joins_values;
  // Bits of each component of floats; 0 keeps them exactly. Normals have them for each of two directions on an
  // octahedron.
  int bits;
  // Of all but normals: the least number, of each component, and from there to the number with all bits set.
  float origin[4];
  float range;
} meshpipe_draco_attribute;

// A mesh to be encoded.
typedef struct meshpipe_draco_encoder meshpipe_draco_encoder;

// `indices` has three points for each face. Returns NULL if memory is short.
meshpipe_draco_encoder *meshpipe_draco_make_encoder(const uint32_t *indices, size_t face_count,
                                                    size_t point_count);
// Adds an attribute, whose identifier is the number of those before it; false if memory is short.
bool meshpipe_draco_add(meshpipe_draco_encoder *encoder, const meshpipe_draco_attribute *attribute,
                        const void *values);
// Encodes with Draco's `speed`, from 0 to 10; false with the reason in `error`.
bool meshpipe_draco_encode(meshpipe_draco_encoder *encoder, int speed, char *error,
                           size_t error_size);
// The results, which last as long as the encoder.
const uint8_t *meshpipe_draco_bytes(const meshpipe_draco_encoder *encoder);
size_t meshpipe_draco_size(const meshpipe_draco_encoder *encoder);
// The points and faces that a decoder will find: points without faces are left out, and so are faces with fewer than
// three different positions.
size_t meshpipe_draco_encoded_points(const meshpipe_draco_encoder *encoder);
size_t meshpipe_draco_encoded_faces(const meshpipe_draco_encoder *encoder);
void meshpipe_draco_free_encoder(meshpipe_draco_encoder *encoder);

#ifdef __cplusplus
}
#endif
