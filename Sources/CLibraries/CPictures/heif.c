#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libheif.h"

// The used part of <libheif/heif.h>, declared here so that building doesn't need its headers.
typedef struct heif_image_handle heif_image_handle;

// The first fields of the options; the library allocates the structure in its full length.
typedef struct {
  uint8_t version;
  uint8_t ignore_transformations;
  void *callbacks[3];
  void *user_data;
  uint8_t convert_hdr_to_8bit;  // from version 2 on
  uint8_t strict_decoding;      // from version 3 on
} heif_decoding_options;

enum {
  heif_error_unsupported_filetype = 3,
  heif_error_unsupported_feature = 4,
  heif_error_decoder_plugin = 7,
  heif_error_plugin_loading = 11,
};

static heif_context *(*context_alloc)(void);
static void (*context_free)(heif_context *);
static heif_error (*context_read)(heif_context *, const void *, size_t, const void *);
static heif_error (*context_primary)(heif_context *, heif_image_handle **);
static void (*handle_release)(const heif_image_handle *);
static int (*handle_width)(const heif_image_handle *);
static int (*handle_height)(const heif_image_handle *);
static heif_decoding_options *(*options_alloc)(void);
static void (*options_free)(heif_decoding_options *);
static heif_error (*decode)(const heif_image_handle *, heif_image **, int, int,
                            const heif_decoding_options *);
static int (*image_width)(const heif_image *, int);
static int (*image_height)(const heif_image *, int);
static const uint8_t *(*image_plane)(const heif_image *, int, int *);
static void (*image_release)(const heif_image *);

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = open_libheif(failure, sizeof failure);
  if (!library) return;
  const char *missing = NULL;
  LOAD_HEIF(context_alloc, "context_alloc");
  LOAD_HEIF(context_free, "context_free");
  LOAD_HEIF(context_read, "context_read_from_memory_without_copy");
  LOAD_HEIF(context_primary, "context_get_primary_image_handle");
  LOAD_HEIF(handle_release, "image_handle_release");
  LOAD_HEIF(handle_width, "image_handle_get_ispe_width");
  LOAD_HEIF(handle_height, "image_handle_get_ispe_height");
  LOAD_HEIF(options_alloc, "decoding_options_alloc");
  LOAD_HEIF(options_free, "decoding_options_free");
  LOAD_HEIF(decode, "decode_image");
  LOAD_HEIF(image_width, "image_get_width");
  LOAD_HEIF(image_height, "image_get_height");
  LOAD_HEIF(image_plane, "image_get_plane_readonly");
  LOAD_HEIF(image_release, "image_release");
  if (missing) snprintf(failure, sizeof failure, LACKS_FUNCTION, missing);
}

static meshpipe_picture_result fail(heif_error reason, char *error, size_t size) {
  const char *words = reason.message ? reason.message : "no reason given";
  if (reason.code == heif_error_unsupported_filetype ||
      reason.code == heif_error_unsupported_feature || reason.code == heif_error_decoder_plugin ||
      reason.code == heif_error_plugin_loading) {
    // Newer systems package the decoders separately.
    snprintf(error, size,
             "can't be decoded by the installed libheif (%s); 'apt-get install libheif-plugin-libde265 "
             "libheif-plugin-dav1d' adds decoders of HEIC and AVIF",
             words);
    return meshpipe_picture_unavailable;
  }
  snprintf(error, size, "is damaged or truncated: %s", words);
  return meshpipe_picture_damaged;
}

static meshpipe_picture_result fail_with(const char *words, char *error, size_t size) {
  snprintf(error, size, "%s", words);
  return meshpipe_picture_damaged;
}

// Copies the rows without their padding.
static meshpipe_picture_result copy(const heif_image *image, int channels, int32_t *width,
                                    int32_t *height, uint8_t **pixels, char *error, size_t size) {
  const int w = image_width(image, heif_channel_interleaved);
  const int h = image_height(image, heif_channel_interleaved);
  int stride = 0;
  const uint8_t *plane = image_plane(image, heif_channel_interleaved, &stride);
  if (!plane || w < 1 || h < 1 || stride < channels * w) return fail_with("contains no pixels", error, size);
  const size_t row = (size_t)channels * (size_t)w;
  uint8_t *result = malloc(row * (size_t)h);
  if (!result) return fail_with("does not fit into memory", error, size);
  for (int y = 0; y < h; y++)
    memcpy(result + (size_t)y * row, plane + (size_t)y * (size_t)stride, row);
  *width = w;
  *height = h;
  *pixels = result;
  return meshpipe_picture_ok;
}

static meshpipe_picture_result read_primary(heif_context *context, int channels, int32_t *width,
                                            int32_t *height, uint8_t **pixels, char *error,
                                            size_t size) {
  heif_image_handle *handle = NULL;
  heif_error reason = context_primary(context, &handle);
  if (reason.code) return fail(reason, error, size);
  meshpipe_picture_result result = meshpipe_picture_damaged;
  const int64_t w = handle_width(handle), h = handle_height(handle);
  heif_image *image = NULL;
  heif_decoding_options *options = options_alloc();
  if (w < 1 || h < 1 || w > meshpipe_largest_side || h > meshpipe_largest_side ||
      w * h > meshpipe_most_pixels) {
    fail_with("claims an impossible size", error, size);
  } else if (!options) {
    fail_with("does not fit into memory", error, size);
  } else {
    options->ignore_transformations = 1;
    if (options->version >= 2) options->convert_hdr_to_8bit = 1;
    if (options->version >= 3) options->strict_decoding = 1;
    reason = decode(handle, &image, heif_colorspace_rgb,
                    channels == 4 ? heif_chroma_interleaved_rgba : heif_chroma_interleaved_rgb, options);
    result = reason.code ? fail(reason, error, size)
                         : copy(image, channels, width, height, pixels, error, size);
  }
  if (image) image_release(image);
  if (options) options_free(options);
  handle_release(handle);
  return result;
}

meshpipe_picture_result meshpipe_heif_read(const uint8_t *bytes, size_t count, int channels,
                                           int32_t *width, int32_t *height, uint8_t **pixels,
                                           char *error, size_t size) {
  pthread_once(&once, load);
  if (failure[0]) {
    snprintf(error, size, "%s", failure);
    return meshpipe_picture_unavailable;
  }
  heif_context *context = context_alloc();
  if (!context) return fail_with("does not fit into memory", error, size);
  const heif_error reason = context_read(context, bytes, count, NULL);
  const meshpipe_picture_result result =
      reason.code ? fail(reason, error, size)
                  : read_primary(context, channels, width, height, pixels, error, size);
  context_free(context);
  return result;
}
