#include "CDynamicLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

void *meshpipe_open_library(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
#ifdef __APPLE__
  char path[256];
  if (!library) {
    snprintf(path, sizeof path, "/opt/homebrew/lib/%s", file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
#endif
  return library;
}

void *meshpipe_library_function(void *library, const char *name, const char **missing) {
  void *function = dlsym(library, name);
  if (!function && !*missing) *missing = name;
  return function;
}
