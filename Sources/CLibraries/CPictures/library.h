#pragma once
#include "CDynamicLibrary.h"
#include "CPictures.h"

#ifdef __APPLE__
#define LIBRARY_FILE(name, version) "lib" name "." #version ".dylib"
#else
#define LIBRARY_FILE(name, version) "lib" name ".so." #version
#endif

// Opens a library; NULL with the reason and how to install it in `failure`.
void *meshpipe_open_picture_library(const char *file, const char *package, char *failure,
                                    size_t size);

// What is wrong with a library without a function, by its name.
#define LACKS_FUNCTION "needs %s, which the library lacks"

// The largest side of an image, and the most pixels: more than a camera has.
enum { meshpipe_largest_side = 65535, meshpipe_most_pixels = 300000000 };
