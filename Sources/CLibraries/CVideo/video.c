#include "CVideo.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "color.h"
#include "libav.h"
#include "store.h"

enum {
  // Threads request frames slightly out of order; a step back within these needs no seek.
  kept_pictures = 8,
  largest_side = 16384,
  most_pixels = largest_side * largest_side,
  // Bytes that are read at once.
  read_length = 1 << 16,
};

// A frame as the file lists it.
typedef struct {
  int64_t shown;    // presentation time in units of the stream
  int64_t decoded;  // decoding time, used for seeking
  bool is_key;
  bool is_expected;
} entry;

typedef struct {
  AVFrame *frame;
  int64_t index;
} picture;

struct meshpipe_video {
  const libav_functions *av;
  int file;
  int64_t offset;  // in the file
  AVIOContext *input;
  AVFormatContext *format;
  AVCodecContext *codec;
  AVPacket *packet;
  AVFrame *frame;
  int stream;
  AVRational unit;  // of times, in seconds
  int32_t width, height;
  entry *entries;  // in presentation order
  int64_t count, capacity;
  picture kept[kept_pictures];
  int next_kept;
  picture_store *store;
  int64_t decoded;  // frames that the decoder returned so far
  int64_t last;  // the frame that the decoder returned last, -1 after a seek
  bool at_end;   // the decoder was told that no more packets come
};

static meshpipe_video_result fail(char *error, size_t size, const char *words) {
  snprintf(error, size, "%s", words);
  return meshpipe_video_damaged;
}

static meshpipe_video_result fail_with(const meshpipe_video *video, int code, const char *what,
                                       char *error, size_t size) {
  char reason[AV_ERROR_MAX_STRING_SIZE] = "";
  video->av->av_strerror(code, reason, sizeof reason);
  snprintf(error, size, "%s: %s", what, reason);
  return meshpipe_video_damaged;
}

static int by_time(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->shown != y->shown) return x->shown < y->shown ? -1 : 1;
  return (x->decoded > y->decoded) - (x->decoded < y->decoded);
}

static int64_t first_known(int64_t a, int64_t b, int64_t otherwise) {
  return a != AV_NOPTS_VALUE ? a : b != AV_NOPTS_VALUE ? b : otherwise;
}

// Lists the frames by reading the whole file, without decoding.
static meshpipe_video_result list_pictures(meshpipe_video *video, char *error, size_t size) {
  const libav_functions *av = video->av;
  int code;
  while ((code = av->av_read_frame(video->format, video->packet)) >= 0) {
    const AVPacket *packet = video->packet;
    // Packets that an edit list hides are decoded but not shown; a corrupt one is truncated.
    const bool counts = packet->stream_index == video->stream &&
                        !(packet->flags & (AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_CORRUPT));
    if (counts) {
      if (video->count == video->capacity) {
        video->capacity = video->capacity * 2 + 256;
        entry *grown = realloc(video->entries, video->capacity * sizeof *grown);
        if (!grown) return fail(error, size, "does not fit into memory");
        video->entries = grown;
      }
      const int64_t previous = video->count ? video->entries[video->count - 1].decoded : -1;
      entry *added = &video->entries[video->count++];
      added->shown = first_known(packet->pts, packet->dts, previous + 1);
      added->decoded = first_known(packet->dts, packet->pts, previous + 1);
      added->is_key = packet->flags & AV_PKT_FLAG_KEY;
    }
    av->av_packet_unref(video->packet);
  }
  if (video->count == 0) return fail(error, size, "contains no frames");
  qsort(video->entries, video->count, sizeof *video->entries, by_time);
  return meshpipe_video_ok;
}

static int read_file(void *state, uint8_t *bytes, int count) {
  meshpipe_video *video = state;
  ssize_t done;
  do done = pread(video->file, bytes, (size_t)count, video->offset);
  while (done < 0 && errno == EINTR);
  if (done < 0) return AVERROR(errno);
  if (done == 0) return AVERROR_EOF;
  video->offset += done;
  return (int)done;
}

static int64_t seek_file(void *state, int64_t offset, int whence) {
  meshpipe_video *video = state;
  struct stat status;
  if (fstat(video->file, &status) < 0) return AVERROR(errno);
  switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return status.st_size;
    case SEEK_SET: break;
    case SEEK_CUR: offset += video->offset; break;
    case SEEK_END: offset += status.st_size; break;
    default: return AVERROR(EINVAL);
  }
  if (offset < 0) return AVERROR(EINVAL);
  return video->offset = offset;
}

// Lets the library read the file, which has no name for it.
static bool open_input(meshpipe_video *video) {
  const libav_functions *av = video->av;
  uint8_t *buffer = av->av_malloc(read_length);
  if (!buffer) return false;
  video->input =
      av->avio_alloc_context(buffer, read_length, 0, video, read_file, NULL, seek_file);
  if (!video->input) {
    av->av_free(buffer);
    return false;
  }
  video->format = av->avformat_alloc_context();
  if (!video->format) return false;
  video->format->pb = video->input;
  return true;
}

static meshpipe_video_result open_stream(meshpipe_video *video, char *error, size_t size) {
  const libav_functions *av = video->av;
  if (!open_input(video)) return fail(error, size, "does not fit into memory");
  // The lists exclude playlists, and other files and URLs that a file names.
  AVDictionary *options = NULL;
  av->av_dict_set(&options, "protocol_whitelist", "none", 0);
  av->av_dict_set(&options, "format_whitelist", "mov,matroska,avi", 0);
  int code = av->avformat_open_input(&video->format, NULL, NULL, &options);
  av->av_dict_free(&options);
  if (code < 0) return fail_with(video, code, "can't be opened as a video", error, size);
  code = av->avformat_find_stream_info(video->format, NULL);
  if (code < 0) return fail_with(video, code, "is not a complete video", error, size);
  video->stream = av->av_find_best_stream(video->format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
  if (video->stream < 0) return fail(error, size, "contains no video, or only a damaged one");
  for (unsigned i = 0; i < video->format->nb_streams; i++) {
    if ((int)i != video->stream)
      LIBAV_FIELD(av, AVStream, video->format->streams[i], discard) = AVDISCARD_ALL;
  }
  return meshpipe_video_ok;
}

static meshpipe_video_result open_decoder(meshpipe_video *video, char *error, size_t size) {
  const libav_functions *av = video->av;
  const AVStream *stream = video->format->streams[video->stream];
  const AVCodecParameters *kind = LIBAV_FIELD(av, AVStream, stream, codecpar);
  video->unit = LIBAV_FIELD(av, AVStream, stream, time_base);
  video->width = LIBAV_FIELD(av, AVCodecParameters, kind, width);
  video->height = LIBAV_FIELD(av, AVCodecParameters, kind, height);
  if (video->width < 1 || video->height < 1 || video->width > largest_side ||
      video->height > largest_side)
    return fail(error, size, "has frames of an impossible size");
  const AVCodec *decoder = av->avcodec_find_decoder(kind->codec_id);
  if (!decoder) return fail(error, size, "uses a codec that the installed FFmpeg can't decode");
  video->codec = av->avcodec_alloc_context3(decoder);
  if (!video->codec) return fail(error, size, "does not fit into memory");
  int code = av->avcodec_parameters_to_context(video->codec, kind);
  if (code >= 0) code = av->av_opt_set_q(video->codec, "pkt_timebase", video->unit, 0);
  if (code >= 0) code = av->av_opt_set_int(video->codec, "max_pixels", most_pixels, 0);
  if (code >= 0) code = av->av_opt_set_int(video->codec, "threads", 0, 0);
  if (code >= 0) code = av->avcodec_open2(video->codec, decoder, NULL);
  if (code < 0) return fail_with(video, code, "can't be decoded", error, size);
  return meshpipe_video_ok;
}

meshpipe_video_result meshpipe_video_open(int file, meshpipe_video **result, char *error,
                                          size_t size) {
  *result = NULL;
  const libav_functions *av = meshpipe_libav(error, size);
  meshpipe_video *video = av ? calloc(1, sizeof *video) : NULL;
  if (!video) {
    close(file);
    if (!av) return meshpipe_video_unavailable;
    return fail(error, size, "does not fit into memory");
  }
  video->av = av;
  video->file = file;
  // Listing leaves the file at its end, so the first read needs a seek.
  video->at_end = true;
  video->last = -1;
  video->packet = av->av_packet_alloc();
  video->frame = av->av_frame_alloc();
  bool whole = video->packet && video->frame;
  for (int i = 0; i < kept_pictures; i++) {
    video->kept[i] = (picture){.frame = av->av_frame_alloc(), .index = -1};
    whole = whole && video->kept[i].frame;
  }
  meshpipe_video_result outcome =
      whole ? meshpipe_video_ok : fail(error, size, "does not fit into memory");
  if (outcome == meshpipe_video_ok) outcome = open_stream(video, error, size);
  if (outcome == meshpipe_video_ok) outcome = open_decoder(video, error, size);
  if (outcome == meshpipe_video_ok) outcome = list_pictures(video, error, size);
  if (outcome == meshpipe_video_ok) {
    *result = video;
  } else {
    meshpipe_video_close(video);
  }
  return outcome;
}

void meshpipe_video_close(meshpipe_video *video) {
  if (!video) return;
  const libav_functions *av = video->av;
  store_free(video->store);
  for (int i = 0; i < kept_pictures; i++) av->av_frame_free(&video->kept[i].frame);
  av->av_frame_free(&video->frame);
  av->av_packet_free(&video->packet);
  av->avcodec_free_context(&video->codec);
  av->avformat_close_input(&video->format);
  // The library may have replaced the buffer that it was given.
  if (video->input) av->av_free(video->input->buffer);
  av->avio_context_free(&video->input);
  close(video->file);
  free(video->entries);
  free(video);
}

int32_t meshpipe_video_width(const meshpipe_video *video) { return video->width; }
int32_t meshpipe_video_height(const meshpipe_video *video) { return video->height; }
int64_t meshpipe_video_count(const meshpipe_video *video) { return video->count; }

double meshpipe_video_time(const meshpipe_video *video, int64_t index) {
  return (double)video->entries[index].shown * av_q2d(video->unit);
}

// The frame that is shown at a time: the last at or before it.
static int64_t index_of_time(const meshpipe_video *video, int64_t time) {
  int64_t low = 0, high = video->count;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (video->entries[middle].shown <= time) low = middle;
    else high = middle;
  }
  return low;
}

// The last keyframe at or before `index`; 0 if none is marked.
static int64_t key_before(const meshpipe_video *video, int64_t index) {
  while (index > 0 && !video->entries[index].is_key) index--;
  return index;
}

static int seek(meshpipe_video *video, int64_t key) {
  const libav_functions *av = video->av;
  av->avcodec_flush_buffers(video->codec);
  video->last = -1;
  video->at_end = false;
  return av->av_seek_frame(video->format, video->stream, video->entries[key].decoded,
                           AVSEEK_FLAG_BACKWARD);
}

// Puts the decoder's next frame into `video->frame`; AVERROR_EOF after the last.
static int next_picture(meshpipe_video *video) {
  const libav_functions *av = video->av;
  for (;;) {
    int code = av->avcodec_receive_frame(video->codec, video->frame);
    if (code != AVERROR(EAGAIN)) return code;
    if (video->at_end) return AVERROR_EOF;
    code = av->av_read_frame(video->format, video->packet);
    if (code < 0) {
      video->at_end = true;
      code = av->avcodec_send_packet(video->codec, NULL);
    } else if (video->packet->stream_index == video->stream &&
               !(video->packet->flags & AV_PKT_FLAG_CORRUPT)) {
      code = av->avcodec_send_packet(video->codec, video->packet);
      av->av_packet_unref(video->packet);
    } else {
      av->av_packet_unref(video->packet);
    }
    if (code < 0 && code != AVERROR(EAGAIN)) return code;
  }
}

static const AVFrame *kept_picture(const meshpipe_video *video, int64_t index) {
  for (int i = 0; i < kept_pictures; i++) {
    if (video->kept[i].index == index) return video->kept[i].frame;
  }
  return NULL;
}

static const AVFrame *keep(meshpipe_video *video, int64_t index) {
  picture *place = &video->kept[video->next_kept];
  video->next_kept = (video->next_kept + 1) % kept_pictures;
  video->av->av_frame_unref(place->frame);
  video->av->av_frame_move_ref(place->frame, video->frame);
  place->index = index;
  const bool is_whole = !meshpipe_is_damaged(video->av, place->frame);
  if (is_whole && video->entries[index].is_expected) store_keep(video->store, index, place->frame);
  return place->frame;
}

// Decodes forward up to a frame. NULL with `*code` >= 0 when the decoder has already passed it.
static const AVFrame *decode_up_to(meshpipe_video *video, int64_t index, int *code) {
  while (video->last < index && (*code = next_picture(video)) >= 0) {
    const AVFrame *decoded = video->frame;
    const int64_t time =
        first_known(LIBAV_FIELD(video->av, AVFrame, decoded, best_effort_timestamp), decoded->pts,
                    video->entries[0].shown);
    int64_t shown = index_of_time(video, time);
    // Frames of equal time are distinguished by their order.
    if (video->last >= 0 && shown <= video->last) shown = video->last + 1;
    video->last = shown;
    video->decoded++;
    if (shown >= video->count) break;
    const AVFrame *frame = keep(video, shown);
    if (shown == index) return frame;
  }
  return NULL;
}

static const AVFrame *find_picture(meshpipe_video *video, int64_t index, int *code) {
  const AVFrame *frame = kept_picture(video, index);
  if (!frame) frame = store_load(video->store, index);
  if (frame) return frame;
  int64_t key = key_before(video, index);
  if (video->last >= 0 && video->last < index && key <= video->last) {
    return decode_up_to(video, index, code);
  }
  // Some files mark their keyframes wrongly, so that a seek lands after the frame: try the one before.
  for (;;) {
    if ((*code = seek(video, key)) < 0) return NULL;
    frame = decode_up_to(video, index, code);
    if (frame || key == 0 || *code < 0) return frame;
    key = key_before(video, key - 1);
  }
}

int64_t meshpipe_video_decoded(const meshpipe_video *video) { return video->decoded; }

void meshpipe_video_expect(meshpipe_video *video, const int64_t *indices, size_t count, int store) {
  for (size_t i = 0; i < count; i++) {
    if (indices[i] >= 0 && indices[i] < video->count) video->entries[indices[i]].is_expected = true;
  }
  if (!video->store && store >= 0) {
    video->store = store_create(video->av, video->count, store);
  } else if (store >= 0) {
    close(store);
  }
}

meshpipe_video_result meshpipe_video_read(meshpipe_video *video, int64_t index, int32_t width,
                                          int32_t height, uint8_t *pixels, char *error,
                                          size_t size) {
  if (index < 0 || index >= video->count) return fail(error, size, "has no such frame");
  if (width < 1 || height < 1 || width > largest_side || height > largest_side)
    return fail(error, size, "can't provide a frame of that size");
  int code = 0;
  const AVFrame *frame = find_picture(video, index, &code);
  if (!frame) {
    // The decoder's state can't be trusted any more.
    video->last = -1;
    if (code < 0 && code != AVERROR_EOF)
      return fail_with(video, code, "is damaged or truncated", error, size);
    return fail(error, size, "is damaged or truncated");
  }
  if (frame->width != video->width || frame->height != video->height)
    return fail(error, size, "has another size than the video");
  if (meshpipe_is_damaged(video->av, frame))
    return fail(error, size, "is damaged or truncated");
  const char *fault = meshpipe_convert_color(video->av, frame, width, height, pixels);
  return fault ? fail(error, size, fault) : meshpipe_video_ok;
}
