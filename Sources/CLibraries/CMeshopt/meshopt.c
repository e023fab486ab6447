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

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
    library = meshpipe_open_library(names[i]);
  if (!library) {
    snprintf(failure, sizeof failure,
             "is not installed: 'apt-get install libmeshoptimizer2d' or "
             "'brew install meshoptimizer'");
    return;
  }
  const char *missing = NULL;
#define LOAD(pointer, name) \
  *(void **)&pointer = meshpipe_library_function(library, "meshopt_decode" name, &missing)
  LOAD(decode_vertices, "VertexBuffer");
  LOAD(decode_triangles, "IndexBuffer");
  LOAD(decode_indices, "IndexSequence");
  LOAD(undo_octahedral, "FilterOct");
  LOAD(undo_quaternion, "FilterQuat");
  LOAD(undo_exponential, "FilterExp");
#undef LOAD
  if (missing) snprintf(failure, sizeof failure, "lacks %s: install a newer version", missing);
}

meshpipe_meshopt_result meshpipe_meshopt_decode(meshpipe_meshopt_mode mode,
                                                meshpipe_meshopt_filter filter, uint8_t *elements,
                                                size_t count, size_t stride, const uint8_t *bytes,
                                                size_t size, char *error, size_t error_size) {
  pthread_once(&once, load);
  if (failure[0]) {
    snprintf(error, error_size, "%s", failure);
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
