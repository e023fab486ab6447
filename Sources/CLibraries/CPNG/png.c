#include "CPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *meshpipe_png_version(void) { return png_get_libpng_ver(NULL); }

typedef struct {
  const uint8_t *bytes;
  size_t count, offset;
} source;

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} sink;

typedef struct {
  char *text;
  size_t size;
} message;

static void on_error(png_structp png, png_const_charp text) {
  message *error = png_get_error_ptr(png);
  if (error->size > 0) {
    strncpy(error->text, text, error->size - 1);
    error->text[error->size - 1] = 0;
  }
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  source *input = png_get_io_ptr(png);
  if (count > input->count - input->offset) png_error(png, "the file is truncated");
  memcpy(target, input->bytes + input->offset, count);
  input->offset += count;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
  sink *output = png_get_io_ptr(png);
  if (output->capacity - output->count < count) {
    size_t capacity = output->capacity * 2 + count + 4096;
    uint8_t *grown = realloc(output->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    output->bytes = grown;
    output->capacity = capacity;
  }
  memcpy(output->bytes + output->count, bytes, count);
  output->count += count;
}

static void flush(png_structp png) { (void)png; }

// Reads up to the header and asks libpng for 8 or 16-bit samples without a palette.
static void begin(png_structp png, png_infop info, source *input, meshpipe_png_header *header) {
  png_set_read_fn(png, input, read_bytes);
  png_set_user_limits(png, 65500, 65500);
  // The most that texts and profiles may decompress to.
  png_set_chunk_malloc_max(png, 8000000);
  png_set_chunk_cache_max(png, 256);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_interlace_handling(png);
  const uint16_t one = 1;
  if (*(const uint8_t *)&one == 1) png_set_swap(png);
  png_read_update_info(png, info);
  header->width = png_get_image_width(png, info);
  header->height = png_get_image_height(png, info);
  header->channels = png_get_channels(png, info);
  header->bit_depth = png_get_bit_depth(png, info);
}

// Whether all chunks are as long as they claim: libpng allocates a chunk's memory before it reads it.
static int has_all_chunks(const uint8_t *bytes, size_t count) {
  size_t offset = 8;
  while (offset + 12 <= count) {
    const uint8_t *chunk = bytes + offset;
    size_t length = (size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | chunk[3];
    if (length > count - offset - 12) return 0;
    if (memcmp(chunk + 4, "IEND", 4) == 0) return 1;
    offset += 12 + length;
  }
  return 0;
}

static int run(const uint8_t *bytes, size_t count, meshpipe_png_header *header,
               meshpipe_png_row_reader *reader, void *context, char *error, size_t error_size) {
  source input = {bytes, count, 0};
  message words = {error, error_size};
  if (!has_all_chunks(bytes, count)) {
    strncpy(error, "the file is truncated", error_size);
    return -1;
  }
  png_bytep *volatile rows = NULL;
  uint8_t *volatile pixels = NULL;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &words, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return -1;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    free(rows);
    free(pixels);
    return -1;
  }
  begin(png, info, &input, header);
  if (reader) {
    // The rows of an interlaced image come in several passes.
    size_t stride = png_get_rowbytes(png, info), height = header->height;
    int is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    pixels = malloc(is_interlaced ? stride * height : stride);
    if (!pixels) png_error(png, "out of memory");
    if (is_interlaced) {
      rows = malloc(height * sizeof(png_bytep));
      if (!rows) png_error(png, "out of memory");
      for (size_t row = 0; row < height; row++) rows[row] = pixels + row * stride;
      png_read_image(png, rows);
    }
    for (size_t row = 0; row < height; row++) {
      if (!is_interlaced) png_read_row(png, pixels, NULL);
      reader(context, header, is_interlaced ? rows[row] : pixels);
    }
    png_read_end(png, NULL);
  }
  png_destroy_read_struct(&png, &info, NULL);
  free(rows);
  free(pixels);
  return 0;
}

int meshpipe_png_inspect(const uint8_t *bytes, size_t count, meshpipe_png_header *header, char *error,
                         size_t error_size) {
  return run(bytes, count, header, NULL, NULL, error, error_size);
}

int meshpipe_png_read(const uint8_t *bytes, size_t count, meshpipe_png_row_reader *reader,
                      void *context, char *error, size_t error_size) {
  meshpipe_png_header header;
  return run(bytes, count, &header, reader, context, error, error_size);
}

static int encode(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int bit_depth,
                  int level, uint32_t pixels_per_meter, const char *description, uint8_t **bytes, size_t *count,
                  char *error, size_t error_size) {
  static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};
  sink output = {NULL, 0, 0};
  message words = {error, error_size};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &words, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    return -1;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    free(output.bytes);
    return -1;
  }
  png_set_write_fn(png, &output, write_bytes, flush);
  png_set_user_limits(png, 65500, 65500);
  png_set_IHDR(png, info, width, height, bit_depth, types[channels], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, level);
  if (pixels_per_meter) png_set_pHYs(png, info, pixels_per_meter, pixels_per_meter, PNG_RESOLUTION_METER);
  if (description) {
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Description",
                     .text = (png_charp)description};
    png_set_text(png, info, &text, 1);
  }
  png_write_info(png, info);
  const uint16_t one = 1;
  if (bit_depth == 16 && *(const uint8_t *)&one == 1) png_set_swap(png);
  size_t stride = (size_t)width * channels * bit_depth / 8;
  for (uint32_t row = 0; row < height; row++) png_write_row(png, pixels + row * stride);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  *bytes = output.bytes;
  *count = output.count;
  return 0;
}

int meshpipe_png_write(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int level,
                       uint32_t pixels_per_meter, uint8_t **bytes, size_t *count, char *error,
                       size_t error_size) {
  return encode(pixels, width, height, channels, 8, level, pixels_per_meter, NULL, bytes, count, error,
                error_size);
}

int meshpipe_png_write16(const uint16_t *pixels, uint32_t width, uint32_t height, int channels, int level,
                         const char *description, uint8_t **bytes, size_t *count, char *error,
                         size_t error_size) {
  return encode((const uint8_t *)pixels, width, height, channels, 16, level, 0, description, bytes, count,
                error, error_size);
}

int meshpipe_inflate(const uint8_t *source, size_t count, uint8_t *target, size_t target_count) {
  uLongf length = target_count;
  return uncompress(target, &length, source, count) == Z_OK && length == target_count ? 0 : -1;
}

size_t meshpipe_deflate_bound(size_t count) { return compressBound(count); }

size_t meshpipe_deflate(const uint8_t *source, size_t count, int level, uint8_t *target,
                        size_t target_count) {
  uLongf length = target_count;
  return compress2(target, &length, source, count, level) == Z_OK ? length : 0;
}

uint32_t meshpipe_crc32(uint32_t sum, const uint8_t *bytes, size_t count) {
  return count == 0 ? sum : (uint32_t)crc32_z(sum, bytes, count);
}
