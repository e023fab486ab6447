#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "library.h"

// As <webp/decode.h> declares them.
static int (*get_info)(const uint8_t *bytes, size_t count, int *width, int *height);
static uint8_t *(*decode_rgb_into)(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t size,
                                   int stride);

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = meshpipe_open_picture_library(
      LIBRARY_FILE("webp", 7), "'apt-get install libwebp7' or 'brew install webp'", failure,
      sizeof failure);
  if (!library) return;
  const char *missing = NULL;
  *(void **)&get_info = meshpipe_library_function(library, "WebPGetInfo", &missing);
  *(void **)&decode_rgb_into = meshpipe_library_function(library, "WebPDecodeRGBInto", &missing);
  if (missing) snprintf(failure, sizeof failure, LACKS_FUNCTION, missing);
}

static meshpipe_picture_result fail(meshpipe_picture_result result, const char *words, char *error,
                                    size_t size) {
  snprintf(error, size, "%s", words);
  return result;
}

meshpipe_picture_result meshpipe_webp_read(const uint8_t *bytes, size_t count, int32_t *width,
                                           int32_t *height, uint8_t **pixels, char *error,
                                           size_t size) {
  pthread_once(&once, load);
  if (failure[0]) return fail(meshpipe_picture_unavailable, failure, error, size);
  int w = 0, h = 0;
  if (!get_info(bytes, count, &w, &h) || w < 1 || h < 1)
    return fail(meshpipe_picture_damaged, "is not a complete WebP image", error, size);
  // A side has 14 bits, so that the product does not overflow.
  const size_t length = 3 * (size_t)w * (size_t)h;
  uint8_t *result = malloc(length);
  if (!result) return fail(meshpipe_picture_damaged, "does not fit into memory", error, size);
  if (!decode_rgb_into(bytes, count, result, length, 3 * w)) {
    free(result);
    return fail(meshpipe_picture_damaged, "is not a complete WebP image, or an animation", error, size);
  }
  *width = w;
  *height = h;
  *pixels = result;
  return meshpipe_picture_ok;
}
