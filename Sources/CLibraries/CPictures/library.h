#pragma once
#include "CPictures.h"

#ifdef __APPLE__
#define LIBRARY_FILE(name, version) "lib" name "." #version ".dylib"
#else
#define LIBRARY_FILE(name, version) "lib" name ".so." #version
#endif

// Opens a library; NULL with the reason and how to install it in `failure`.
void *meshpipe_open_picture_library(const char *file, const char *package, char *failure,
                                    size_t size);

// A function of a library; NULL with a message in `failure`, unless it has one already.
void *meshpipe_library_function(void *library, const char *name, char *failure, size_t size);

// The largest side of an image, and the most pixels: more than a camera has.
enum { meshpipe_largest_side = 65535, meshpipe_most_pixels = 300000000 };
