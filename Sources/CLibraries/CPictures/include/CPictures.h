#pragma once
#include <stddef.h>
#include <stdint.h>

// WebP through libwebp, HEIC and AVIF through libheif, rare kinds of TIFF through libtiff. They are opened on first use, for few captures and models have
// such images: building needs neither, and starting the command costs nothing. The functions that are
// called have not changed since libwebp 0.5 and libheif 1.3; the file names contain the version of the
// binary interface.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  meshpipe_picture_ok = 0,
  meshpipe_picture_damaged = 1,      // or of an unsupported kind
  meshpipe_picture_unavailable = 2,  // the library, or its decoder for this kind, is not installed
} meshpipe_picture_result;

// Decode an image to RGB (3 channels) or RGBA (4), row by row without padding, as it is stored, ignoring
// the orientation that the file specifies. `pixels` is malloc'ed; `error` says what is wrong when the
// result is not `ok`.
meshpipe_picture_result meshpipe_webp_read(const uint8_t *bytes, size_t count, int channels,
                                           int32_t *width, int32_t *height, uint8_t **pixels,
                                           char *error, size_t size);
meshpipe_picture_result meshpipe_heif_read(const uint8_t *bytes, size_t count, int channels,
                                           int32_t *width, int32_t *height, uint8_t **pixels,
                                           char *error, size_t size);

// Decodes a TIFF of 1 to 16 bits to RGBA through libtiff, which reads what FFmpeg doesn't: tiles, BigTIFF, JPEG, Zstandard.
meshpipe_picture_result meshpipe_tiff_read(const uint8_t *bytes, size_t count, int32_t *width,
                                           int32_t *height, uint8_t **pixels, char *error,
                                           size_t size);

// Why libwebp can't be used, with the way out; NULL if it can.
const char *meshpipe_webp_fault(void);

// Encodes pixels of 3 or 4 channels, row by row without padding, with a quality from 0 to 100, or without loss if it is
// more. Returns the number of bytes, which meshpipe_webp_free takes back; 0 if the image is too large (a side has 14
// bits) or memory is short.
size_t meshpipe_webp_write(const uint8_t *pixels, int32_t width, int32_t height, int channels,
                           int quality, uint8_t **bytes);
void meshpipe_webp_free(uint8_t *bytes);

// Why libheif can't write AVIF, with the way out; NULL if it can.
const char *meshpipe_avif_fault(void);

// As meshpipe_webp_write, with bytes that `free` takes back. Some versions of the library lose a little in spite of a
// quality above 100; opacity has no loss.
size_t meshpipe_avif_write(const uint8_t *pixels, int32_t width, int32_t height, int channels,
                           int quality, uint8_t **bytes);

#ifdef __cplusplus
}
#endif
