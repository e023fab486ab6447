#include "CVideo.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "libav.h"

enum {
  // Larger than any texture, and rows of it fit into 31 bits with room to spare.
  longest_side = 1 << 16,
};

// What a picture's codes are, for one conversion of a row after the other.
typedef struct {
  const libav_functions *av;
  const AVFrame *frame;
  const AVPixFmtDescriptor *kind;
  bool is_data;
  uint32_t *codes;  // of one row and component
  float *numbers;   // of one row, all components
} still_rows;

static meshpipe_video_result fail(char *error, size_t size, const char *words) {
  snprintf(error, size, "%s", words);
  return meshpipe_video_damaged;
}

static float half(uint32_t bits) {
  const int exponent = bits >> 10 & 31;
  const float fraction = (float)(bits & 1023);
  const float size = exponent == 31  ? (bits & 1023 ? NAN : INFINITY)
                     : exponent == 0 ? ldexpf(fraction, -24)
                                     : ldexpf(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

static float number(uint32_t bits, int depth) {
  if (depth == 16) return half(bits);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint8_t code(float value) {
  // False for what is no number, too.
  if (!(value > 0)) return 0;
  return value >= 1 ? 255 : (uint8_t)(value * 255 + 0.5f);
}

static float srgb(float light) {
  if (!(light > 0)) return 0;
  if (light >= 1) return 1;
  return light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
}

// A pixel of linear light, whose colours are multiplied by its opacity.
static void show(const float light[4], bool has_opacity, bool is_data, uint8_t *pixel) {
  const float opacity = has_opacity ? light[3] : 1;
  const float share = has_opacity && !is_data && opacity > 0 && opacity < 1 ? opacity : 1;
  for (int c = 0; c < 3; c++) pixel[c] = code(is_data ? light[c] : srgb(light[c] / share));
  pixel[3] = has_opacity ? code(opacity) : 255;
}

static void read_component(const still_rows *rows, int y, int component) {
  const AVFrame *frame = rows->frame;
  rows->av->av_read_image_line2(rows->codes, (const uint8_t **)frame->data, frame->linesize,
                                rows->kind, 0, y, component, frame->width, 0, 4);
}

// A row of numbers, grey or in colours.
static void read_numbers(const still_rows *rows, int y, uint8_t *pixels) {
  const int width = rows->frame->width, count = rows->kind->nb_components;
  const bool has_opacity = rows->kind->flags & AV_PIX_FMT_FLAG_ALPHA;
  for (int c = 0; c < count; c++) {
    read_component(rows, y, c);
    for (int x = 0; x < width; x++)
      rows->numbers[4 * x + c] = number(rows->codes[x], rows->kind->comp[c].depth);
  }
  for (int x = 0; x < width; x++) {
    float *light = rows->numbers + 4 * x;
    if (count < 3) light[3] = light[1], light[1] = light[2] = light[0];
    show(light, has_opacity, rows->is_data, pixels + 4 * x);
  }
}

// A row of codes of any number of bits, grey or in colours.
static void read_codes(const still_rows *rows, int y, uint8_t *pixels) {
  const int width = rows->frame->width, count = rows->kind->nb_components;
  const bool has_opacity = rows->kind->flags & AV_PIX_FMT_FLAG_ALPHA;
  const bool is_inverted = rows->frame->format == AV_PIX_FMT_MONOWHITE;
  for (int x = 0; x < width; x++) pixels[4 * x + 3] = 255;
  for (int c = 0; c < count; c++) {
    const uint64_t most = (UINT64_C(1) << rows->kind->comp[c].depth) - 1;
    read_component(rows, y, c);
    for (int x = 0; x < width; x++) {
      uint8_t value = (uint8_t)(((uint64_t)rows->codes[x] * 255 + most / 2) / most);
      if (is_inverted) value = 255 - value;
      uint8_t *pixel = pixels + 4 * x;
      if (has_opacity && c == count - 1) pixel[3] = value;
      else if (count < 3) pixel[0] = pixel[1] = pixel[2] = value;
      else pixel[c] = value;
    }
  }
}

static void read_palette(const AVFrame *frame, int y, uint8_t *pixels) {
  const uint8_t *row = frame->data[0] + (ptrdiff_t)y * frame->linesize[0];
  const uint32_t *palette = (const uint32_t *)frame->data[1];
  for (int x = 0; x < frame->width; x++) {
    const uint32_t color = palette[row[x]];
    uint8_t *pixel = pixels + 4 * (size_t)x;
    pixel[0] = color >> 16 & 255, pixel[1] = color >> 8 & 255, pixel[2] = color & 255;
    pixel[3] = color >> 24;
  }
}

// Colours of a video's kind, which have no opacity.
static const char *read_video_colors(const libav_functions *av, const AVFrame *frame,
                                     uint8_t *pixels) {
  const size_t count = (size_t)frame->width * (size_t)frame->height;
  uint8_t *colors = malloc(3 * count);
  if (!colors) return "does not fit into memory";
  const char *fault = meshpipe_convert_color(av, frame, frame->width, frame->height, colors);
  for (size_t i = 0; !fault && i < count; i++) {
    memcpy(pixels + 4 * i, colors + 3 * i, 3);
    pixels[4 * i + 3] = 255;
  }
  free(colors);
  return fault;
}

// The frame as RGBA. NULL, or what is wrong.
static const char *convert(const libav_functions *av, const AVFrame *frame, bool is_data,
                           uint8_t *pixels) {
  const AVPixFmtDescriptor *kind = av->av_pix_fmt_desc_get(frame->format);
  if (!kind || kind->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER))
    return "has a pixel format that is not supported";
  const bool has_palette = kind->flags & AV_PIX_FMT_FLAG_PAL;
  const bool is_grey = kind->nb_components < 3;
  if (!has_palette && !is_grey && !(kind->flags & AV_PIX_FMT_FLAG_RGB))
    return read_video_colors(av, frame, pixels);
  still_rows rows = {av, frame, kind, is_data, malloc(4 * sizeof(uint32_t) * (size_t)frame->width),
                     malloc(4 * sizeof(float) * (size_t)frame->width)};
  const bool has_room = rows.codes && rows.numbers;
  for (int y = 0; has_room && y < frame->height; y++) {
    uint8_t *target = pixels + 4 * (size_t)frame->width * (size_t)y;
    if (has_palette) read_palette(frame, y, target);
    else if (kind->flags & AV_PIX_FMT_FLAG_FLOAT) read_numbers(&rows, y, target);
    else read_codes(&rows, y, target);
  }
  free(rows.codes);
  free(rows.numbers);
  return has_room ? NULL : "does not fit into memory";
}

// Puts the picture of a file into `frame`.
static int decode(const libav_functions *av, const AVCodec *decoder, const uint8_t *bytes,
                  size_t count, int64_t max_pixels, AVFrame *frame) {
  AVPacket *packet = av->av_packet_alloc();
  AVCodecContext *context = av->avcodec_alloc_context3(decoder);
  int code = packet && context ? av->av_new_packet(packet, (int)count) : AVERROR(ENOMEM);
  if (code >= 0) {
    memcpy(packet->data, bytes, count);
    packet->flags |= AV_PKT_FLAG_KEY;
    code = av->av_opt_set_int(context, "max_pixels", max_pixels, 0);
  }
  // Threads for frames would wait for more of them.
  if (code >= 0) code = av->av_opt_set_int(context, "thread_type", FF_THREAD_SLICE, 0);
  if (code >= 0) code = av->av_opt_set_int(context, "threads", 0, 0);
  if (code >= 0) code = av->avcodec_open2(context, decoder, NULL);
  if (code >= 0) code = av->avcodec_send_packet(context, packet);
  if (code >= 0) code = av->avcodec_send_packet(context, NULL);
  if (code >= 0) code = av->avcodec_receive_frame(context, frame);
  av->avcodec_free_context(&context);
  av->av_packet_free(&packet);
  return code;
}

meshpipe_video_result meshpipe_still_read(const uint8_t *bytes, size_t count, const char *decoder,
                                          int64_t max_pixels, int is_data, int32_t *width,
                                          int32_t *height, uint8_t **pixels, char *error,
                                          size_t size) {
  *pixels = NULL;
  const libav_functions *av = meshpipe_libav(error, size);
  if (!av) return meshpipe_video_unavailable;
  const AVCodec *codec = av->avcodec_find_decoder_by_name(decoder);
  if (!codec) {
    fail(error, size, "needs a decoder that the installed FFmpeg lacks");
    return meshpipe_video_unavailable;
  }
  if (count == 0 || count > INT_MAX - AV_INPUT_BUFFER_PADDING_SIZE)
    return fail(error, size, "is empty or too large");
  AVFrame *frame = av->av_frame_alloc();
  if (!frame) return fail(error, size, "does not fit into memory");
  const int result = decode(av, codec, bytes, count, max_pixels, frame);
  const char *fault = NULL;
  if (result < 0) {
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    av->av_strerror(result, reason, sizeof reason);
    snprintf(error, size, "can't be decoded by FFmpeg: %s", reason);
  } else if (frame->width < 1 || frame->height < 1 || frame->width > longest_side ||
             frame->height > longest_side || (int64_t)frame->width * frame->height > max_pixels) {
    fault = "has an impossible size";
  } else if (meshpipe_is_damaged(av, frame)) {
    fault = "is damaged or truncated";
  } else {
    *width = frame->width;
    *height = frame->height;
    *pixels = malloc(4 * (size_t)frame->width * (size_t)frame->height);
    fault = *pixels ? convert(av, frame, is_data, *pixels) : "does not fit into memory";
  }
  av->av_frame_free(&frame);
  if (result >= 0 && !fault) return meshpipe_video_ok;
  free(*pixels);
  *pixels = NULL;
  return fault ? fail(error, size, fault) : meshpipe_video_damaged;
}
