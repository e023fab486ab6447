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
