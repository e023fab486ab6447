#pragma once
#include <stddef.h>
#include <stdint.h>

// Video, and pictures of the kinds that few models have, through FFmpeg's libraries, which are opened on first use:
// linking them would add 40 ms to every start of the command, for 142 shared objects.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meshpipe_video meshpipe_video;

typedef enum {
  meshpipe_video_ok = 0,
  meshpipe_video_damaged = 1,  // or missing, or of an unsupported kind
  meshpipe_video_unavailable = 2,  // the libraries are not installed
} meshpipe_video_result;

// The version of the opened libraries; NULL with a message in `error` when there are none.
const char *meshpipe_video_version(char *error, size_t size);

// All functions except `close` return a result, and a message in `error` when it is not `ok`. A video may
// be used by one thread at a time.

// Opens a video in a file that is open for reading, which is closed with the video or when this fails, and lists its
// frames in presentation order.
meshpipe_video_result meshpipe_video_open(int file, meshpipe_video **video, char *error,
                                          size_t error_size);
void meshpipe_video_close(meshpipe_video *video);

int32_t meshpipe_video_width(const meshpipe_video *video);
int32_t meshpipe_video_height(const meshpipe_video *video);
int64_t meshpipe_video_count(const meshpipe_video *video);
// A frame's presentation time, in seconds on the clock of the file.
double meshpipe_video_time(const meshpipe_video *video, int64_t index);

// Decodes a frame to RGB of a size, row by row without padding: 3 × width × height bytes. Frames that are
// requested in order, or within a few of the last, are decoded once.
meshpipe_video_result meshpipe_video_read(meshpipe_video *video, int64_t index, int32_t width,
                                          int32_t height, uint8_t *pixels, char *error,
                                          size_t error_size);

// Announces which frames will be requested, perhaps several times: they are decoded once and stored in a
// file, as long as there is room.
//
// `store` is that file, empty and open for reading and writing, which is closed with the video; negative for none.
void meshpipe_video_expect(meshpipe_video *video, const int64_t *indices, size_t count, int store);

// The number of frames decoded so far.
int64_t meshpipe_video_decoded(const meshpipe_video *video);

// Decodes a picture file in memory to RGBA of 8 bits, row by row without padding, with one of FFmpeg's decoders. Nothing
// is opened: the decoder gets the bytes of the file, and no demuxer guesses what else they could be.
//
// Samples of more bits are rounded. Numbers (floats) are linear light, which becomes sRGB, with its opacity taken out of
// the colours, as OpenEXR has it; with `is_data` they become codes as they are. `pixels` is malloc'ed; more than
// `max_pixels` are refused before they are allocated.
meshpipe_video_result meshpipe_still_read(const uint8_t *bytes, size_t count, const char *decoder,
                                          int64_t max_pixels, int is_data, int32_t *width,
                                          int32_t *height, uint8_t **pixels, char *error,
                                          size_t size);

#ifdef __cplusplus
}
#endif
