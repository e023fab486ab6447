#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "libav.h"

// Decoded pictures in a file that has no name, for the stages to come: decoding one costs decoding all
// since the key picture before it. They are stored as the decoder gave them, so that what is made of
// them is the same.

typedef struct picture_store picture_store;

// A store for so many pictures; NULL when there is no memory.
picture_store *store_create(const libav_functions *av, int64_t count);
void store_free(picture_store *store);

// A stored picture, good until the next call; NULL when it isn't there.
const AVFrame *store_load(picture_store *store, int64_t index);

// Stores a picture as long as there is room. What can't be stored is decoded again.
void store_keep(picture_store *store, int64_t index, const AVFrame *frame);
