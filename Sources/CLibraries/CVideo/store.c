#include "store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  // The alignment of rows, in memory and in the file.
  row_alignment = 64,
};

// The most that a video's frames take: 250 of a phone's. Others are decoded again when needed.
static const int64_t largest_store = INT64_C(1) << 30;
// Bytes left free on the disk.
static const int64_t least_free = INT64_C(1) << 30;

// A stored frame: its offset, and the interpretation of its colours.
typedef struct {
  int64_t offset;  // -1 when it is not stored
  int64_t length;
  int format, width, height;
  enum AVColorRange range;
  enum AVColorSpace space;
  enum AVChromaLocation chroma;
} stored_picture;

struct picture_store {
  const libav_functions *av;
  stored_picture *pictures;
  int64_t count;
  int file;
  int64_t length;
  uint8_t *buffer;  // of the frame that was loaded or stored last
  int64_t buffer_length;
  AVFrame *frame;
};

picture_store *store_create(const libav_functions *av, int64_t count, int file) {
  picture_store *store = calloc(1, sizeof *store);
  if (!store) {
    close(file);
    return NULL;
  }
  store->av = av;
  store->count = count;
  store->file = file;
  store->pictures = malloc((size_t)count * sizeof *store->pictures);
  store->frame = av->av_frame_alloc();
  if (!store->pictures || !store->frame) {
    store_free(store);
    return NULL;
  }
  for (int64_t i = 0; i < count; i++) store->pictures[i].offset = -1;
  return store;
}

void store_free(picture_store *store) {
  if (!store) return;
  close(store->file);
  if (store->frame) store->av->av_frame_free(&store->frame);
  free(store->buffer);
  free(store->pictures);
  free(store);
}

static bool has_room(const picture_store *store, int64_t length) {
  struct statvfs disk;
  if (store->length + length > largest_store || fstatvfs(store->file, &disk) != 0) return false;
  return (int64_t)disk.f_bavail * (int64_t)disk.f_frsize >= length + least_free;
}

static bool reserve(picture_store *store, int64_t length) {
  if (store->buffer_length >= length) return true;
  free(store->buffer);
  // Converters read slightly past the ends of rows.
  store->buffer = aligned_alloc(row_alignment, (size_t)(length / row_alignment + 2) * row_alignment);
  store->buffer_length = store->buffer ? length : 0;
  return store->buffer != NULL;
}

static bool transfer(int file, uint8_t *bytes, int64_t length, int64_t offset, bool writes) {
  while (length > 0) {
    const ssize_t done = writes ? pwrite(file, bytes, (size_t)length, offset)
                                : pread(file, bytes, (size_t)length, offset);
    if (done <= 0) return false;
    bytes += done;
    offset += done;
    length -= done;
  }
  return true;
}

void store_keep(picture_store *store, int64_t index, const AVFrame *frame) {
  if (!store || index < 0 || index >= store->count || store->pictures[index].offset >= 0) return;
  const int64_t length = store->av->av_image_get_buffer_size(frame->format, frame->width,
                                                             frame->height, row_alignment);
  if (length <= 0 || !has_room(store, length) || !reserve(store, length)) return;
  const int copied = store->av->av_image_copy_to_buffer(
      store->buffer, (int)length, (const uint8_t *const *)frame->data, frame->linesize,
      frame->format, frame->width, frame->height, row_alignment);
  if (copied < 0 || !transfer(store->file, store->buffer, length, store->length, true)) return;
  store->pictures[index] = (stored_picture){
      .offset = store->length,
      .length = length,
      .format = frame->format,
      .width = frame->width,
      .height = frame->height,
      .range = LIBAV_FIELD(store->av, AVFrame, frame, color_range),
      .space = LIBAV_FIELD(store->av, AVFrame, frame, colorspace),
      .chroma = LIBAV_FIELD(store->av, AVFrame, frame, chroma_location),
  };
  store->length += length;
}

const AVFrame *store_load(picture_store *store, int64_t index) {
  if (!store || index < 0 || index >= store->count) return NULL;
  const stored_picture *picture = &store->pictures[index];
  if (picture->offset < 0 || !reserve(store, picture->length) ||
      !transfer(store->file, store->buffer, picture->length, picture->offset, false))
    return NULL;
  AVFrame *frame = store->frame;
  frame->format = picture->format;
  frame->width = picture->width;
  frame->height = picture->height;
  LIBAV_FIELD(store->av, AVFrame, frame, color_range) = picture->range;
  LIBAV_FIELD(store->av, AVFrame, frame, colorspace) = picture->space;
  LIBAV_FIELD(store->av, AVFrame, frame, chroma_location) = picture->chroma;
  const int filled = store->av->av_image_fill_arrays(frame->data, frame->linesize, store->buffer,
                                                     picture->format, picture->width,
                                                     picture->height, row_alignment);
  return filled < 0 ? NULL : frame;
}
