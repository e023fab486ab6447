#include "color.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_full_range(const libav_functions *av, const AVFrame *frame) {
  switch (frame->format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P:
      return true;
    default:
      return LIBAV_FIELD(av, AVFrame, frame, color_range) == AVCOL_RANGE_JPEG;
  }
}

// Sets all options of a conversion; false if the library has one of them no more.
static bool set_up(const libav_functions *av, struct SwsContext *context, const AVFrame *frame,
                   int width, int height) {
  const bool is_reduced = width != frame->width || height != frame->height;
  const int flags = (is_reduced ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND | SWS_BITEXACT |
                    SWS_FULL_CHR_H_INT;
  const enum AVChromaLocation place = LIBAV_FIELD(av, AVFrame, frame, chroma_location);
  const bool is_left = place == AVCHROMA_LOC_LEFT || place == AVCHROMA_LOC_TOPLEFT ||
                       (place == AVCHROMA_LOC_UNSPECIFIED && !is_full_range(av, frame));
  const bool is_top = place == AVCHROMA_LOC_TOPLEFT || place == AVCHROMA_LOC_TOP;
  return av->av_opt_set_int(context, "srcw", frame->width, 0) >= 0 &&
         av->av_opt_set_int(context, "srch", frame->height, 0) >= 0 &&
         av->av_opt_set_int(context, "src_format", frame->format, 0) >= 0 &&
         av->av_opt_set_int(context, "dstw", width, 0) >= 0 &&
         av->av_opt_set_int(context, "dsth", height, 0) >= 0 &&
         av->av_opt_set_int(context, "dst_format", AV_PIX_FMT_RGB24, 0) >= 0 &&
         av->av_opt_set_int(context, "sws_flags", flags, 0) >= 0 &&
         (!is_left || av->av_opt_set_int(context, "src_h_chr_pos", 0, 0) >= 0) &&
         (!is_top || av->av_opt_set_int(context, "src_v_chr_pos", 0, 0) >= 0);
}

static struct SwsContext *converter(const libav_functions *av, const AVFrame *frame, int width,
                                    int height) {
  struct SwsContext *context = av->sws_alloc_context();
  if (!context) return NULL;
  if (set_up(av, context, frame, width, height)) {
    const int *kind = av->sws_getCoefficients(LIBAV_FIELD(av, AVFrame, frame, colorspace));
    // The call fails only for formats without a colour range, such as RGB.
    av->sws_setColorspaceDetails(context, kind, is_full_range(av, frame),
                                 av->sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    if (av->sws_init_context(context, NULL, NULL) >= 0) return context;
  }
  av->sws_freeContext(context);
  return NULL;
}

const char *meshpipe_convert_color(const libav_functions *av, const AVFrame *frame, int width,
                                   int height, uint8_t *pixels) {
  struct SwsContext *context = converter(av, frame, width, height);
  if (!context) return "has a pixel format that the installed FFmpeg can't convert";
  // The library writes slightly past the ends of rows.
  const size_t row = 3 * (size_t)width, stride = (row + 127) / 64 * 64;
  uint8_t *padded = aligned_alloc(64, stride * (size_t)(height + 1));
  const char *fault = padded ? NULL : "does not fit into memory";
  if (padded) {
    uint8_t *const planes[4] = {padded};
    const int strides[4] = {(int)stride};
    const int rows = av->sws_scale(context, (const uint8_t *const *)frame->data, frame->linesize, 0,
                                   frame->height, planes, strides);
    if (rows == height) {
      for (int y = 0; y < height; y++) memcpy(pixels + y * row, padded + y * stride, row);
    } else {
      fault = "has colours that the installed FFmpeg can't convert";
    }
  }
  free(padded);
  av->sws_freeContext(context);
  return fault;
}
