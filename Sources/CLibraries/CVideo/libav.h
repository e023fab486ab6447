#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdbool.h>

#include "release.h"

// The functions of FFmpeg that are used, with their libraries.
#define LIBAV_FUNCTIONS(each)                  \
  each(avutil, av_dict_free)                   \
  each(avutil, av_dict_set)                    \
  each(avutil, av_frame_alloc)                 \
  each(avutil, av_frame_free)                  \
  each(avutil, av_frame_move_ref)              \
  each(avutil, av_frame_unref)                 \
  each(avutil, av_free)                        \
  each(avutil, av_image_copy_to_buffer)        \
  each(avutil, av_image_fill_arrays)           \
  each(avutil, av_image_get_buffer_size)       \
  each(avutil, av_log_set_level)               \
  each(avutil, av_malloc)                      \
  each(avutil, av_opt_set_int)                 \
  each(avutil, av_opt_set_q)                   \
  each(avutil, av_pix_fmt_desc_get)            \
  each(avutil, av_read_image_line2)            \
  each(avutil, av_strerror)                    \
  each(avutil, av_version_info)                \
  each(avutil, avutil_version)                 \
  each(avcodec, av_new_packet)                 \
  each(avcodec, av_packet_alloc)               \
  each(avcodec, av_packet_free)                \
  each(avcodec, av_packet_unref)               \
  each(avcodec, avcodec_alloc_context3)        \
  each(avcodec, avcodec_find_decoder)          \
  each(avcodec, avcodec_find_decoder_by_name)  \
  each(avcodec, avcodec_flush_buffers)         \
  each(avcodec, avcodec_free_context)          \
  each(avcodec, avcodec_open2)                 \
  each(avcodec, avcodec_parameters_to_context) \
  each(avcodec, avcodec_receive_frame)         \
  each(avcodec, avcodec_send_packet)           \
  each(avcodec, avcodec_version)               \
  each(avformat, av_find_best_stream)          \
  each(avformat, av_read_frame)                \
  each(avformat, av_seek_frame)                \
  each(avformat, avformat_alloc_context)       \
  each(avformat, avformat_close_input)         \
  each(avformat, avformat_find_stream_info)    \
  each(avformat, avformat_open_input)          \
  each(avformat, avformat_version)             \
  each(avformat, avio_alloc_context)           \
  each(avformat, avio_context_free)            \
  each(swscale, sws_alloc_context)             \
  each(swscale, sws_freeContext)               \
  each(swscale, sws_getCoefficients)           \
  each(swscale, sws_init_context)              \
  each(swscale, sws_scale)                     \
  each(swscale, sws_setColorspaceDetails)      \
  each(swscale, swscale_version)

typedef struct {
  const libav_release *release;
#define LIBAV_POINTER(library, name) __typeof__(name) *name;
  LIBAV_FUNCTIONS(LIBAV_POINTER)
#undef LIBAV_POINTER
} libav_functions;

// The functions, or NULL with a message in `error`. The first call opens the libraries:
// all four of the first release that is whole.
const libav_functions *meshpipe_libav(char *error, size_t error_size);

// Whether the decoder found a frame to be corrupt.
bool meshpipe_is_damaged(const libav_functions *av, const AVFrame *frame);
