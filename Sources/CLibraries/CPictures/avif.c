#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libheif.h"

// The part of <libheif/heif.h> that writes, declared here so that building doesn't need its headers.
typedef struct heif_encoder heif_encoder;

// The first fields of a colour profile; the library allocates the structure in its full length.
typedef struct {
  uint8_t version;
  int color_primaries;
  int transfer_characteristics;
  int matrix_coefficients;
  uint8_t full_range_flag;
} heif_nclx_profile;

// The first fields of the options; the library allocates the structure in its full length.
typedef struct {
  uint8_t version;
  uint8_t save_alpha_channel;
  uint8_t macos_workaround;         // from version 2 on
  uint8_t saves_two_profiles;       // from version 3 on
  heif_nclx_profile *profile;       // from version 4 on
  uint8_t macos_workaround_profile;
} heif_encoding_options;

typedef struct {
  int version;
  heif_error (*write)(heif_context *, const void *bytes, size_t count, void *state);
} heif_writer;

enum {
  heif_compression_av1 = 4,
  primaries_bt709 = 1,
  transfer_srgb = 13,
  matrix_identity = 0,
  matrix_bt601 = 6,
};

static heif_context *(*context_alloc)(void);
static void (*context_free)(heif_context *);
static heif_error (*get_encoder)(heif_context *, int format, heif_encoder **);
static void (*encoder_release)(heif_encoder *);
static heif_error (*set_quality)(heif_encoder *, int);
static heif_error (*set_lossless)(heif_encoder *, int);
static heif_error (*set_parameter)(heif_encoder *, const char *name, const char *value);
static heif_error (*image_create)(int width, int height, int colorspace, int chroma, heif_image **);
static heif_error (*add_plane)(heif_image *, int channel, int width, int height, int bits);
static uint8_t *(*image_plane)(heif_image *, int channel, int *stride);
static heif_error (*set_profile)(heif_image *, const heif_nclx_profile *);
static void (*image_release)(const heif_image *);
static heif_nclx_profile *(*profile_alloc)(void);
static void (*profile_free)(heif_nclx_profile *);
static heif_encoding_options *(*options_alloc)(void);
static void (*options_free)(heif_encoding_options *);
static heif_error (*encode)(heif_context *, const heif_image *, heif_encoder *,
                            const heif_encoding_options *, void **handle);
static heif_error (*context_write)(heif_context *, heif_writer *, void *state);

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_encoder(void) {
  heif_context *context = context_alloc();
  heif_encoder *encoder = NULL;
  if (!context) return;
  const heif_error reason = get_encoder(context, heif_compression_av1, &encoder);
  if (reason.code || !encoder)
    snprintf(failure, sizeof failure,
             "has no encoder of AVIF: 'apt-get install libheif-plugin-aomenc' adds one");
  if (encoder) encoder_release(encoder);
  context_free(context);
}

static void load(void) {
  void *library = open_libheif(failure, sizeof failure);
  if (!library) return;
  const char *missing = NULL;
  LOAD_HEIF(context_alloc, "context_alloc");
  LOAD_HEIF(context_free, "context_free");
  LOAD_HEIF(get_encoder, "context_get_encoder_for_format");
  LOAD_HEIF(encoder_release, "encoder_release");
  LOAD_HEIF(set_quality, "encoder_set_lossy_quality");
  LOAD_HEIF(set_lossless, "encoder_set_lossless");
  LOAD_HEIF(set_parameter, "encoder_set_parameter");
  LOAD_HEIF(image_create, "image_create");
  LOAD_HEIF(add_plane, "image_add_plane");
  LOAD_HEIF(image_plane, "image_get_plane");
  LOAD_HEIF(set_profile, "image_set_nclx_color_profile");
  LOAD_HEIF(image_release, "image_release");
  LOAD_HEIF(profile_alloc, "nclx_color_profile_alloc");
  LOAD_HEIF(profile_free, "nclx_color_profile_free");
  LOAD_HEIF(options_alloc, "encoding_options_alloc");
  LOAD_HEIF(options_free, "encoding_options_free");
  LOAD_HEIF(encode, "context_encode_image");
  LOAD_HEIF(context_write, "context_write");
  if (missing)
    snprintf(failure, sizeof failure, LACKS_FUNCTION, missing);
  else
    find_encoder();
}

const char *meshpipe_avif_fault(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

typedef struct {
  uint8_t *bytes;
  size_t count;
} written;

static heif_error keep(heif_context *context, const void *bytes, size_t count, void *state) {
  (void)context;
  written *result = state;
  result->bytes = malloc(count ? count : 1);
  if (!result->bytes) return (heif_error){6, 0, "does not fit into memory"};
  memcpy(result->bytes, bytes, count);
  result->count = count;
  return (heif_error){0, 0, "ok"};
}

// The image with the pixels; NULL if memory is short.
static heif_image *image_of(const uint8_t *pixels, int32_t width, int32_t height, int channels,
                            const heif_nclx_profile *profile) {
  heif_image *image = NULL;
  const int chroma = channels == 4 ? heif_chroma_interleaved_rgba : heif_chroma_interleaved_rgb;
  if (image_create(width, height, heif_colorspace_rgb, chroma, &image).code) return NULL;
  int stride = 0;
  uint8_t *plane = NULL;
  if (!add_plane(image, heif_channel_interleaved, width, height, 8).code)
    plane = image_plane(image, heif_channel_interleaved, &stride);
  // The library takes the matrix of the conversion from the image, and not from the options alone.
  if (!plane || set_profile(image, profile).code) {
    image_release(image);
    return NULL;
  }
  const size_t row = (size_t)channels * (size_t)width;
  for (int32_t y = 0; y < height; y++)
    memcpy(plane + (size_t)y * (size_t)stride, pixels + (size_t)y * row, row);
  return image;
}

// The best that is not slow; what an encoder doesn't know it goes without.
static void set_up(heif_encoder *encoder, int quality) {
  set_quality(encoder, quality > 100 ? 100 : quality);
  set_lossless(encoder, quality > 100);
  // Full resolution of colours costs few bytes and gains more at the same size.
  set_parameter(encoder, "chroma", "444");
  set_parameter(encoder, "lossless-alpha", "true");
  // The bytes depend on the number of threads.
  set_parameter(encoder, "threads", "1");
  set_parameter(encoder, "speed", "6");
}

size_t meshpipe_avif_write(const uint8_t *pixels, int32_t width, int32_t height, int channels,
                           int quality, uint8_t **bytes) {
  *bytes = NULL;
  if (meshpipe_avif_fault()) return 0;
  written result = {NULL, 0};
  heif_context *context = context_alloc();
  heif_nclx_profile *profile = profile_alloc();
  heif_encoding_options *options = options_alloc();
  heif_encoder *encoder = NULL;
  heif_image *image = NULL;
  if (context && profile && options && options->version >= 4 &&
      !get_encoder(context, heif_compression_av1, &encoder).code) {
    profile->color_primaries = primaries_bt709;
    profile->transfer_characteristics = transfer_srgb;
    profile->matrix_coefficients = quality > 100 ? matrix_identity : matrix_bt601;
    profile->full_range_flag = 1;
    options->profile = profile;
    options->macos_workaround = options->macos_workaround_profile = 0;
    set_up(encoder, quality);
    image = image_of(pixels, width, height, channels, profile);
    heif_writer writer = {1, keep};
    if (image && !encode(context, image, encoder, options, NULL).code &&
        context_write(context, &writer, &result).code) {
      free(result.bytes);
      result = (written){NULL, 0};
    }
  }
  if (image) image_release(image);
  if (encoder) encoder_release(encoder);
  if (options) {
    options->profile = NULL;
    options_free(options);
  }
  if (profile) profile_free(profile);
  if (context) context_free(context);
  *bytes = result.bytes;
  return result.count;
}
