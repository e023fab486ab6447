#define _GNU_SOURCE 1
#include "CDynamicLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

// A library uses the functions of the libraries that it names before those of libraries that were loaded with the
// program, which may be others of the same name: of a folder that brings its own. Sanitizers put theirs first.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(RTLD_DEEPBIND) && !defined(IS_SANITIZED)
#define OWN_LIBRARIES_FIRST RTLD_DEEPBIND
#else
#define OWN_LIBRARIES_FIRST 0
#endif

void *meshpipe_open_library(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | OWN_LIBRARIES_FIRST);
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
