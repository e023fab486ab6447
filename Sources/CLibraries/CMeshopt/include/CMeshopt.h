#pragma once
#include <stddef.h>
#include <stdint.h>

// What the elements of a compressed buffer are, as in EXT_meshopt_compression.
typedef enum {
  meshpipe_meshopt_attributes,
  meshpipe_meshopt_triangles,
  meshpipe_meshopt_indices
} meshpipe_meshopt_mode;

// What was done to attributes before they were compressed.
typedef enum {
  meshpipe_meshopt_plain,
  meshpipe_meshopt_octahedral,
  meshpipe_meshopt_quaternion,
  meshpipe_meshopt_exponential
} meshpipe_meshopt_filter;

typedef enum {
  meshpipe_meshopt_ok,
  meshpipe_meshopt_damaged,
  // meshoptimizer is not installed; the reason and the way out are in `error`.
  meshpipe_meshopt_unavailable
} meshpipe_meshopt_result;

// Decodes `count` elements of `stride` bytes each with meshoptimizer, which is opened for the first of them.
//
// Attributes have a stride that is a multiple of 4 and at most 256: 4 or 8 if octahedral, 8 if quaternions. Triangles
// and indices have one of 2 or 4, and triangles a count that is a multiple of 3.
meshpipe_meshopt_result meshpipe_meshopt_decode(meshpipe_meshopt_mode mode,
                                                meshpipe_meshopt_filter filter, uint8_t *elements,
                                                size_t count, size_t stride, const uint8_t *bytes,
                                                size_t size, char *error, size_t error_size);

// Why meshoptimizer can't be used, with the way out; NULL if it can. The functions below need it.
const char *meshpipe_meshopt_fault(void);

// Puts triangles into an order that compresses well, and vertices into that of their first use; `order` receives the old
// number of each new vertex, those without triangles last. `scratch` has room for all vertices.
void meshpipe_meshopt_order_triangles(uint32_t *indices, size_t index_count, uint32_t *order,
                                      uint32_t *scratch, size_t vertex_count);

// Puts points, three floats each, into an order in which neighbours follow each other.
void meshpipe_meshopt_order_points(const float *positions, uint32_t *order, uint32_t *scratch,
                                   size_t count);

// The most bytes that the functions below write.
size_t meshpipe_meshopt_vertices_bound(size_t count, size_t stride);
size_t meshpipe_meshopt_triangles_bound(size_t index_count, size_t vertex_count);

// Encodes vertices as ATTRIBUTES of EXT_meshopt_compression: a stride that is a multiple of 4 and at most 256. Returns
// the number of bytes written.
size_t meshpipe_meshopt_encode_vertices(const void *vertices, size_t count, size_t stride,
                                        uint8_t *bytes, size_t capacity);

// Encodes indices as TRIANGLES.
size_t meshpipe_meshopt_encode_triangles(const uint32_t *indices, size_t index_count,
                                         uint8_t *bytes, size_t capacity);

// Directions, four floats each of which the last is kept, as four signed bytes for the filter OCTAHEDRAL.
void meshpipe_meshopt_octahedral_bytes(const float *directions, size_t count, uint8_t *bytes);
