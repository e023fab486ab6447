#include "release.h"

#include <libavutil/pixdesc.h>
#include <libavutil/version.h>
#include <libswscale/version.h>

#define HEADERS (LIBAVUTIL_VERSION_MAJOR - 52)

#if HEADERS >= 5 && HEADERS <= 9 && LIBAVCODEC_VERSION_MAJOR == HEADERS + 54 && \
    LIBAVFORMAT_VERSION_MAJOR == HEADERS + 54 && LIBSWSCALE_VERSION_MAJOR == HEADERS + 1

// The headers at hand must agree with the table.
#define CHECK(structure, field, in5, in6, in7, in8, in9)                                  \
  _Static_assert(offsetof(structure, field) == (HEADERS == 5   ? in5                      \
                                                : HEADERS == 6 ? in6                      \
                                                : HEADERS == 7 ? in7                      \
                                                : HEADERS == 8 ? in8                      \
                                                               : in9),                    \
                 "FFmpeg's headers have " #structure "." #field " elsewhere: correct release.h");
LIBAV_MOVING_FIELDS(CHECK)

#define SAME(structure, field, place)                    \
  _Static_assert(offsetof(structure, field) == place,    \
                 "FFmpeg's headers have " #structure "." #field " elsewhere: add it to release.h");
SAME(AVCodecParameters, codec_id, 4)
SAME(AVComponentDescriptor, depth, 16)
SAME(AVFormatContext, nb_streams, 44)
SAME(AVFormatContext, pb, 32)
SAME(AVFormatContext, streams, 48)
SAME(AVFrame, data, 0)
SAME(AVFrame, format, 116)
SAME(AVFrame, height, 108)
SAME(AVFrame, linesize, 64)
SAME(AVFrame, pts, 136)
SAME(AVFrame, width, 104)
SAME(AVIOContext, buffer, 8)
SAME(AVPacket, data, 24)
SAME(AVPacket, dts, 16)
SAME(AVPacket, flags, 40)
SAME(AVPacket, pts, 8)
SAME(AVPacket, stream_index, 36)
SAME(AVPixFmtDescriptor, comp, 24)
SAME(AVPixFmtDescriptor, flags, 16)
SAME(AVPixFmtDescriptor, nb_components, 8)
_Static_assert(sizeof(AVComponentDescriptor) == 20, "AVPixFmtDescriptor.comp has other steps");

#define IN5(structure, field, in5, in6, in7, in8, in9) .structure##_##field = in5,
#define IN6(structure, field, in5, in6, in7, in8, in9) .structure##_##field = in6,
#define IN7(structure, field, in5, in6, in7, in8, in9) .structure##_##field = in7,
#define IN8(structure, field, in5, in6, in7, in8, in9) .structure##_##field = in8,
#define IN9(structure, field, in5, in6, in7, in8, in9) .structure##_##field = in9,
#define RELEASE_5 {5, 57, 59, 59, 6, LIBAV_MOVING_FIELDS(IN5)}
#define RELEASE_6 {6, 58, 60, 60, 7, LIBAV_MOVING_FIELDS(IN6)}
#define RELEASE_7 {7, 59, 61, 61, 8, LIBAV_MOVING_FIELDS(IN7)}
#define RELEASE_8 {8, 60, 62, 62, 9, LIBAV_MOVING_FIELDS(IN8)}
#define RELEASE_9 {9, 61, 63, 63, 10, LIBAV_MOVING_FIELDS(IN9)}

static const libav_release releases[] = {
#if HEADERS == 5
    RELEASE_5, RELEASE_9, RELEASE_8, RELEASE_7, RELEASE_6,
#elif HEADERS == 6
    RELEASE_6, RELEASE_9, RELEASE_8, RELEASE_7, RELEASE_5,
#elif HEADERS == 7
    RELEASE_7, RELEASE_9, RELEASE_8, RELEASE_6, RELEASE_5,
#elif HEADERS == 8
    RELEASE_8, RELEASE_9, RELEASE_7, RELEASE_6, RELEASE_5,
#else
    RELEASE_9, RELEASE_8, RELEASE_7, RELEASE_6, RELEASE_5,
#endif
};

#else

// Of a release that is not in the table nothing is known but its headers, and they say nothing of others.
#define HERE(structure, field, ...) .structure##_##field = offsetof(structure, field),
static const libav_release releases[] = {
    {HEADERS, LIBAVUTIL_VERSION_MAJOR, LIBAVCODEC_VERSION_MAJOR, LIBAVFORMAT_VERSION_MAJOR,
     LIBSWSCALE_VERSION_MAJOR, LIBAV_MOVING_FIELDS(HERE)},
};

#endif

const libav_release *meshpipe_libav_releases(size_t *count) {
  *count = sizeof releases / sizeof *releases;
  return releases;
}
