#include "library.h"

#include "CDynamicLibrary.h"

#include <stdio.h>

void *meshpipe_open_picture_library(const char *file, const char *package, char *failure,
                                    size_t size) {
  void *library = meshpipe_open_library(file);
  if (!library)
    snprintf(failure, size, "needs %s, which can't be loaded (%s); install it with %s", file,
             meshpipe_library_reason(), package);
  return library;
}
