#include "CMeshopt.h"

#include "CDynamicLibrary.h"

#include <pthread.h>
#include <stdio.h>

#ifdef __APPLE__
static const char *const names[] = {"libmeshoptimizer.dylib"};
#else
// With Debian's version of the interface, which is the same as without one.
static const char *const names[] = {"libmeshoptimizer.so.2d", "libmeshoptimizer.so"};
#endif

// As <meshoptimizer.h> declares them.
static int (*decode_vertices)(void *, size_t, size_t, const unsigned char *, size_t);
static int (*decode_triangles)(void *, size_t, size_t, const unsigned char *, size_t);
static int (*decode_indices)(void *, size_t, size_t, const unsigned char *, size_t);
static void (*undo_octahedral)(void *, size_t, size_t);
static void (*undo_quaternion)(void *, size_t, size_t);
static void (*undo_exponential)(void *, size_t, size_t);
static void (*order_strip)(unsigned *, const unsigned *, size_t, size_t);
static size_t (*order_fetch)(unsigned *, const unsigned *, size_t, size_t);
static void (*order_space)(unsigned *, const float *, size_t, size_t);
static void (*set_vertex_version)(int);
static void (*set_index_version)(int);
static size_t (*vertices_bound)(size_t, size_t);
static size_t (*indices_bound)(size_t, size_t);
static size_t (*encode_vertices)(unsigned char *, size_t, const void *, size_t, size_t);
static size_t (*encode_indices)(unsigned char *, size_t, const unsigned *, size_t);
static void (*make_octahedral)(void *, size_t, size_t, int, const float *);

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = meshpipe_need_library(names, sizeof names / sizeof *names, "libmeshoptimizer2d",
                                        "meshoptimizer", failure, sizeof failure);
  if (!library) return;
  const char *missing = NULL;
#define LOAD(pointer, name) \
  *(void **)&pointer = meshpipe_library_function(library, "meshopt_" name, &missing)
  LOAD(decode_vertices, "decodeVertexBuffer");
  LOAD(decode_triangles, "decodeIndexBuffer");
  LOAD(decode_indices, "decodeIndexSequence");
  LOAD(undo_octahedral, "decodeFilterOct");
  LOAD(undo_quaternion, "decodeFilterQuat");
  LOAD(undo_exponential, "decodeFilterExp");
  LOAD(order_strip, "optimizeVertexCacheStrip");
  LOAD(order_fetch, "optimizeVertexFetchRemap");
  LOAD(order_space, "spatialSortRemap");
  LOAD(set_vertex_version, "encodeVertexVersion");
  LOAD(set_index_version, "encodeIndexVersion");
  LOAD(vertices_bound, "encodeVertexBufferBound");
  LOAD(indices_bound, "encodeIndexBufferBound");
  LOAD(encode_vertices, "encodeVertexBuffer");
  LOAD(encode_indices, "encodeIndexBuffer");
  LOAD(make_octahedral, "encodeFilterOct");
#undef LOAD
  if (missing) {
    snprintf(failure, sizeof failure, "lacks %s: install a newer version", missing);
    return;
  }
  // Those of the extension, whichever the library prefers.
  set_vertex_version(0);
  set_index_version(1);
}

const char *meshpipe_meshopt_fault(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

meshpipe_meshopt_result meshpipe_meshopt_decode(meshpipe_meshopt_mode mode,
                                                meshpipe_meshopt_filter filter, uint8_t *elements,
                                                size_t count, size_t stride, const uint8_t *bytes,
                                                size_t size, char *error, size_t error_size) {
  const char *fault = meshpipe_meshopt_fault();
  if (fault) {
    snprintf(error, error_size, "%s", fault);
    return meshpipe_meshopt_unavailable;
  }
  int status = 0;
  switch (mode) {
  case meshpipe_meshopt_attributes:
    status = decode_vertices(elements, count, stride, bytes, size);
    break;
  case meshpipe_meshopt_triangles:
    status = decode_triangles(elements, count, stride, bytes, size);
    break;
  case meshpipe_meshopt_indices:
    status = decode_indices(elements, count, stride, bytes, size);
    break;
  }
  if (status != 0) return meshpipe_meshopt_damaged;
  switch (filter) {
  case meshpipe_meshopt_plain: break;
  case meshpipe_meshopt_octahedral: undo_octahedral(elements, count, stride); break;
  case meshpipe_meshopt_quaternion: undo_quaternion(elements, count, stride); break;
  case meshpipe_meshopt_exponential: undo_exponential(elements, count, stride); break;
  }
  return meshpipe_meshopt_ok;
}

void meshpipe_meshopt_order_triangles(uint32_t *indices, size_t index_count, uint32_t *order,
                                      uint32_t *scratch, size_t vertex_count) {
  order_strip(indices, indices, index_count, vertex_count);
  size_t unused = order_fetch(scratch, indices, index_count, vertex_count);
  for (size_t i = 0; i < index_count; i++) indices[i] = scratch[indices[i]];
  for (size_t i = 0; i < vertex_count; i++)
    order[scratch[i] == UINT32_MAX ? unused++ : scratch[i]] = (uint32_t)i;
}

void meshpipe_meshopt_order_points(const float *positions, uint32_t *order, uint32_t *scratch,
                                   size_t count) {
  order_space(scratch, positions, count, 3 * sizeof(float));
  for (size_t i = 0; i < count; i++) order[scratch[i]] = (uint32_t)i;
}

size_t meshpipe_meshopt_vertices_bound(size_t count, size_t stride) {
  return vertices_bound(count, stride);
}

size_t meshpipe_meshopt_triangles_bound(size_t index_count, size_t vertex_count) {
  return indices_bound(index_count, vertex_count);
}

size_t meshpipe_meshopt_encode_vertices(const void *vertices, size_t count, size_t stride,
                                        uint8_t *bytes, size_t capacity) {
  return encode_vertices(bytes, capacity, vertices, count, stride);
}

size_t meshpipe_meshopt_encode_triangles(const uint32_t *indices, size_t index_count,
                                         uint8_t *bytes, size_t capacity) {
  return encode_indices(bytes, capacity, indices, index_count);
}

void meshpipe_meshopt_octahedral_bytes(const float *directions, size_t count, uint8_t *bytes) {
  make_octahedral(bytes, count, 4, 8, directions);
}
