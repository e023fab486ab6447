#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "libav.h"

// Decoded frames in an unnamed file, for later stages: decoding a frame means decoding all since the
// keyframe before it. They are stored as the decoder returned them, so that results don't depend on
// the store.

typedef struct picture_store picture_store;

// A store for `count` frames in an open file, which is closed with it; NULL when out of memory.
picture_store *store_create(const libav_functions *av, int64_t count, int file);
void store_free(picture_store *store);

// A stored frame, valid until the next call; NULL if it isn't stored.
const AVFrame *store_load(picture_store *store, int64_t index);

// Stores a frame if there is room. Others are decoded again.
void store_keep(picture_store *store, int64_t index, const AVFrame *frame);
