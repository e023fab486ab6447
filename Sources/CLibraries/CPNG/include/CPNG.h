#pragma once
#include <stddef.h>
#include <stdint.h>

// libpng behind functions that return, since it reports errors by longjmp, which must not cross Swift frames.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint32_t width;
  uint32_t height;
  int channels;    // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  int bit_depth;   // 8 or 16; fewer bits are widened to 8, palettes to RGB
} meshpipe_png_header;

// The version of libpng that is loaded.
const char *meshpipe_png_version(void);

// Reads up to the header. Returns 0, or -1 with a message in `error`; a truncated file is an error.
int meshpipe_png_inspect(const uint8_t *bytes, size_t count, meshpipe_png_header *header, char *error,
                         size_t error_size);

// Receives the rows of an image in order: 16-bit samples in the machine's byte order, without any gamma or colour
// profile applied.
typedef void meshpipe_png_row_reader(void *context, const meshpipe_png_header *header,
                                     const uint8_t *row);

// Reads an image row by row; only an interlaced one is in memory as a whole. Returns 0, or -1 with a message.
int meshpipe_png_read(const uint8_t *bytes, size_t count, meshpipe_png_row_reader *reader,
                      void *context, char *error, size_t error_size);

// Encodes 8-bit samples of 1 to 4 channels; `level` is zlib's, 1 to 9, and the resolution of a print is 0 if there is none
// to tell. The result is malloc'ed.
int meshpipe_png_write(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int level,
                       uint32_t pixels_per_meter, uint8_t **bytes, size_t *count, char *error,
                       size_t error_size);

// The same for 16-bit samples in the machine's byte order. The file's description is Latin-1, or NULL for none.
int meshpipe_png_write16(const uint16_t *pixels, uint32_t width, uint32_t height, int channels, int level,
                         const char *description, uint8_t **bytes, size_t *count, char *error,
                         size_t error_size);

// Decompresses zlib data of a known length. Returns 0, or -1 when it is damaged.
int meshpipe_inflate(const uint8_t *source, size_t count, uint8_t *target, size_t target_count);

// The most bytes that compressing as many takes.
size_t meshpipe_deflate_bound(size_t count);

// Compresses to zlib data and returns their length, or 0 if the target is smaller than the bound; `level` is zlib's, 1 to 9.
size_t meshpipe_deflate(const uint8_t *source, size_t count, int level, uint8_t *target,
                        size_t target_count);

// The CRC-32 of further bytes after others with the checksum `sum`, 0 for none.
uint32_t meshpipe_crc32(uint32_t sum, const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif
