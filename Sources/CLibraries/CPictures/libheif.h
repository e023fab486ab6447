#pragma once
#include "library.h"

// What reading and writing use of <libheif/heif.h>, declared here so that building doesn't need its headers.
typedef struct heif_context heif_context;
typedef struct heif_image heif_image;

typedef struct {
  int code;
  int subcode;
  const char *message;
} heif_error;

enum {
  heif_colorspace_rgb = 1,
  heif_chroma_interleaved_rgb = 10,
  heif_chroma_interleaved_rgba = 11,
  heif_channel_interleaved = 10,
};

// Opens the library; NULL with the reason and how to install it in `failure`.
static inline void *open_libheif(char *failure, size_t size) {
  return meshpipe_open_picture_library(
      LIBRARY_FILE("heif", 1), "'apt-get install libheif1' or 'brew install libheif'", failure, size);
}

// Finds a function of the `library`, and notes the name of one that is `missing`.
#define LOAD_HEIF(pointer, name) \
  *(void **)&pointer = meshpipe_library_function(library, "heif_" name, &missing)
