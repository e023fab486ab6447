#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

// As <tiffio.h> declares them since libtiff 4.
typedef struct tiff TIFF;
typedef int64_t transfer(void *file, void *bytes, int64_t count);
typedef uint64_t seeking(void *file, uint64_t offset, int whence);
typedef int closing(void *file);
typedef uint64_t sizing(void *file);
typedef int mapping(void *file, void **bytes, uint64_t *count);
typedef void unmapping(void *file, void *bytes, uint64_t count);

static TIFF *(*client_open)(const char *name, const char *mode, void *file, transfer *read,
                            transfer *write, seeking *seek, closing *close, sizing *size,
                            mapping *map, unmapping *unmap);
static void (*close_tiff)(TIFF *tiff);
static int (*get_field)(TIFF *tiff, uint32_t tag, ...);
static int (*is_readable)(TIFF *tiff, char message[1024]);
static int (*read_rgba)(TIFF *tiff, uint32_t width, uint32_t height, uint32_t *pixels,
                        int orientation, int stops);
static void *(*set_error_handler)(void *handler);
static void *(*set_warning_handler)(void *handler);

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = meshpipe_open_picture_library(
      LIBRARY_FILE("tiff", 6), "'apt-get install libtiff6' or 'brew install libtiff'", failure,
      sizeof failure);
  if (!library) return;
  const char *missing = NULL;
#define LOAD(pointer, name) *(void **)&pointer = meshpipe_library_function(library, name, &missing)
  LOAD(client_open, "TIFFClientOpen");
  LOAD(close_tiff, "TIFFClose");
  LOAD(get_field, "TIFFGetField");
  LOAD(is_readable, "TIFFRGBAImageOK");
  LOAD(read_rgba, "TIFFReadRGBAImageOriented");
  LOAD(set_error_handler, "TIFFSetErrorHandler");
  LOAD(set_warning_handler, "TIFFSetWarningHandler");
#undef LOAD
  if (missing) {
    snprintf(failure, sizeof failure, LACKS_FUNCTION, missing);
    return;
  }
  // Damage is reported through results, not on standard error.
  set_error_handler(NULL);
  set_warning_handler(NULL);
}

// A file in memory.
typedef struct {
  const uint8_t *bytes;
  uint64_t count, offset;
} memory;

static int64_t read_memory(void *file, void *bytes, int64_t count) {
  memory *source = file;
  if (count < 0 || source->offset > source->count) return 0;
  const uint64_t left = source->count - source->offset;
  const uint64_t taken = (uint64_t)count < left ? (uint64_t)count : left;
  memcpy(bytes, source->bytes + source->offset, taken);
  source->offset += taken;
  return (int64_t)taken;
}

static int64_t refuse_write(void *file, void *bytes, int64_t count) {
  (void)file, (void)bytes, (void)count;
  return 0;
}

static uint64_t seek_memory(void *file, uint64_t offset, int whence) {
  memory *source = file;
  source->offset = whence == SEEK_SET   ? offset
                   : whence == SEEK_CUR ? source->offset + offset
                                        : source->count + offset;
  return source->offset;
}

static int close_memory(void *file) {
  (void)file;
  return 0;
}

static uint64_t size_of_memory(void *file) { return ((memory *)file)->count; }

static meshpipe_picture_result fail(meshpipe_picture_result result, const char *words, char *error,
                                    size_t size) {
  snprintf(error, size, "%s", words);
  return result;
}

// Takes the opacity, by which the library multiplies colours, out of them again.
static void divide_by_opacity(uint8_t *pixels, size_t count) {
  for (uint8_t *pixel = pixels; pixel < pixels + 4 * count; pixel += 4) {
    const unsigned opacity = pixel[3];
    if (opacity == 0 || opacity == 255) continue;
    for (int c = 0; c < 3; c++) {
      const unsigned value = (pixel[c] * 255u + opacity / 2) / opacity;
      pixel[c] = (uint8_t)(value < 255 ? value : 255);
    }
  }
}

meshpipe_picture_result meshpipe_tiff_read(const uint8_t *bytes, size_t count, int32_t *width,
                                           int32_t *height, uint8_t **pixels, char *error,
                                           size_t size) {
  enum { width_tag = 256, height_tag = 257, from_top_left = 1 };
  pthread_once(&once, load);
  if (failure[0]) return fail(meshpipe_picture_unavailable, failure, error, size);
  memory file = {bytes, count, 0};
  TIFF *tiff = client_open("picture", "rm", &file, read_memory, refuse_write, seek_memory,
                           close_memory, size_of_memory, NULL, NULL);
  if (!tiff) return fail(meshpipe_picture_damaged, "is not a complete TIFF", error, size);
  uint32_t w = 0, h = 0;
  char reason[1024] = "";
  const char *fault = NULL;
  uint32_t *result = NULL;
  if (!get_field(tiff, width_tag, &w) || !get_field(tiff, height_tag, &h) || w < 1 || h < 1 ||
      w > meshpipe_largest_side || h > meshpipe_largest_side || w > meshpipe_most_pixels / h) {
    fault = "has an impossible size";
  } else if (!is_readable(tiff, reason)) {
    fault = reason;
  } else if (!(result = malloc(4 * (size_t)w * h))) {
    fault = "does not fit into memory";
  } else if (!read_rgba(tiff, w, h, result, from_top_left, 1)) {
    fault = "is damaged or truncated";
  }
  close_tiff(tiff);
  if (fault) {
    free(result);
    return fail(meshpipe_picture_damaged, fault, error, size);
  }
  // Red is in the lowest bits.
  uint8_t *samples = (uint8_t *)result;
  for (size_t i = 0; i < (size_t)w * h; i++) {
    const uint32_t pixel = result[i];
    for (int c = 0; c < 4; c++) samples[4 * i + c] = (uint8_t)(pixel >> 8 * c);
  }
  divide_by_opacity(samples, (size_t)w * h);
  *width = (int32_t)w;
  *height = (int32_t)h;
  *pixels = samples;
  return meshpipe_picture_ok;
}
