#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "library.h"

// As <webp/decode.h> declares them.
static int (*get_info)(const uint8_t *bytes, size_t count, int *width, int *height);
static uint8_t *(*decode_rgb_into)(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t size,
                                   int stride);
static uint8_t *(*decode_rgba_into)(const uint8_t *bytes, size_t count, uint8_t *pixels,
                                    size_t size, int stride);

// As <webp/encode.h> declares them.
typedef size_t lossy_encoder(const uint8_t *pixels, int width, int height, int stride,
                             float quality, uint8_t **bytes);
typedef size_t lossless_encoder(const uint8_t *pixels, int width, int height, int stride,
                                uint8_t **bytes);
static lossy_encoder *encode_rgb, *encode_rgba;
static lossless_encoder *encode_lossless_rgb, *encode_lossless_rgba;
static void (*free_encoded)(void *bytes);

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = meshpipe_open_picture_library(
      LIBRARY_FILE("webp", 7), "'apt-get install libwebp7' or 'brew install webp'", failure,
      sizeof failure);
  if (!library) return;
  const char *missing = NULL;
#define LOAD(pointer, name) *(void **)&pointer = meshpipe_library_function(library, name, &missing)
  LOAD(get_info, "WebPGetInfo");
  LOAD(decode_rgb_into, "WebPDecodeRGBInto");
  LOAD(decode_rgba_into, "WebPDecodeRGBAInto");
  LOAD(encode_rgb, "WebPEncodeRGB");
  LOAD(encode_rgba, "WebPEncodeRGBA");
  LOAD(encode_lossless_rgb, "WebPEncodeLosslessRGB");
  LOAD(encode_lossless_rgba, "WebPEncodeLosslessRGBA");
  LOAD(free_encoded, "WebPFree");
#undef LOAD
  if (missing) snprintf(failure, sizeof failure, LACKS_FUNCTION, missing);
}

static meshpipe_picture_result fail(meshpipe_picture_result result, const char *words, char *error,
                                    size_t size) {
  snprintf(error, size, "%s", words);
  return result;
}

meshpipe_picture_result meshpipe_webp_read(const uint8_t *bytes, size_t count, int channels,
                                           int32_t *width, int32_t *height, uint8_t **pixels,
                                           char *error, size_t size) {
  pthread_once(&once, load);
  if (failure[0]) return fail(meshpipe_picture_unavailable, failure, error, size);
  int w = 0, h = 0;
  if (!get_info(bytes, count, &w, &h) || w < 1 || h < 1)
    return fail(meshpipe_picture_damaged, "is not a complete WebP image", error, size);
  // A side has 14 bits, so that the product does not overflow.
  const size_t length = channels * (size_t)w * (size_t)h;
  uint8_t *result = malloc(length);
  if (!result) return fail(meshpipe_picture_damaged, "does not fit into memory", error, size);
  if (!(channels == 4 ? decode_rgba_into : decode_rgb_into)(bytes, count, result, length, channels * w)) {
    free(result);
    return fail(meshpipe_picture_damaged, "is not a complete WebP image, or an animation", error, size);
  }
  *width = w;
  *height = h;
  *pixels = result;
  return meshpipe_picture_ok;
}

const char *meshpipe_webp_fault(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

size_t meshpipe_webp_write(const uint8_t *pixels, int32_t width, int32_t height, int channels,
                           int quality, uint8_t **bytes) {
  *bytes = NULL;
  if (meshpipe_webp_fault()) return 0;
  const int stride = channels * width;
  if (quality > 100)
    return (channels == 4 ? encode_lossless_rgba : encode_lossless_rgb)(pixels, width, height, stride, bytes);
  return (channels == 4 ? encode_rgba : encode_rgb)(pixels, width, height, stride, (float)quality, bytes);
}

void meshpipe_webp_free(uint8_t *bytes) {
  if (bytes) free_encoded(bytes);
}
