#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stddef.h>
#include <stdint.h>

// The fields whose places differ among the releases of FFmpeg, and where the releases 5 to 9 have them: bytes from the
// start of the structure on 64-bit systems, by offsetof in the headers of 5.1.9, 6.1.1, 7.1.5, 8.0.1 and 9.0.2.
//
// Within a release fields are only added at the ends of structures. Options and functions stand for all other fields;
// those that code may name directly have the same place in all releases, and release.c asserts it.
#define LIBAV_MOVING_FIELDS(each)                                \
  /*                                          5    6    7    8    9 */ \
  each(AVCodecParameters, height,            60,  60,  76,  76,  76)   \
  each(AVCodecParameters, width,             56,  56,  72,  72,  72)   \
  each(AVFrame, best_effort_timestamp,      344, 344, 320, 304, 304)   \
  each(AVFrame, chroma_location,            336, 336, 312, 296, 296)   \
  each(AVFrame, color_range,                320, 320, 296, 280, 280)   \
  each(AVFrame, colorspace,                 332, 332, 308, 292, 292)   \
  each(AVFrame, decode_error_flags,         376, 376, 344, 320, 320)   \
  each(AVFrame, flags,                      316, 316, 292, 276, 276)   \
  each(AVStream, codecpar,                  208,  16,  16,  16,  16)   \
  each(AVStream, discard,                    52,  68,  68,  68,  68)   \
  each(AVStream, time_base,                  16,  32,  32,  32,  32)

// A release: the versions of its libraries, which their file names bear, and the places of its fields.
typedef struct {
  int number;
  int avutil, avcodec, avformat, swscale;
#define LIBAV_PLACE(structure, field, ...) uint16_t structure##_##field;
  LIBAV_MOVING_FIELDS(LIBAV_PLACE)
#undef LIBAV_PLACE
} libav_release;

// The releases that can be opened: first the one of the headers, with which the tests run, then from the newest.
const libav_release *meshpipe_libav_releases(size_t *count);

// A moving field of an object, to read or to assign.
#define LIBAV_FIELD(av, structure, object, field)                  \
  (*(__typeof__(((structure *)0)->field) *)((char *)(object) + \
                                            (av)->release->structure##_##field))
