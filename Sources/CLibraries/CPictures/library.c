#include "library.h"

#include <dlfcn.h>
#include <stdio.h>

void *meshpipe_open_library(const char *file, const char *package, char *failure, size_t size) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
#ifdef __APPLE__
  char path[256];
  if (!library) {
    snprintf(path, sizeof path, "/opt/homebrew/lib/%s", file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
#endif
  if (!library) snprintf(failure, size, "needs %s, which is not installed: %s", file, package);
  return library;
}

void *meshpipe_library_function(void *library, const char *name, char *failure, size_t size) {
  void *function = dlsym(library, name);
  if (!function && !failure[0]) snprintf(failure, size, "needs %s, which the library lacks", name);
  return function;
}
