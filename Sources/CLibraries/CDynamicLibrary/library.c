#define _GNU_SOURCE 1
#include "CDynamicLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

#if defined(RTLD_DEEPBIND)
#include <link.h>
#include <string.h>

// packaging/dist.sh gives the libraries that it packs such names.
static int is_packed(struct dl_phdr_info *library, size_t size, void *data) {
  (void)size, (void)data;
  return strstr(library->dlpi_name, "-meshpipe.so") != NULL;
}

// In a folder that brings its own libraries, those of the system use the functions of the libraries that they name, not
// those of another version that was loaded with the program. Elsewhere both are the same, and memory that they take
// passes through the program's allocator.
static int lookup(void) { return dl_iterate_phdr(is_packed, NULL) ? RTLD_DEEPBIND : 0; }
#else
static int lookup(void) { return 0; }
#endif

void *meshpipe_open_library(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | lookup());
#ifdef __APPLE__
  char path[256];
  if (!library) {
    snprintf(path, sizeof path, "/opt/homebrew/lib/%s", file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
#endif
  return library;
}

const char *meshpipe_library_reason(void) {
  const char *reason = dlerror();
  return reason ? reason : "no reason given";
}

void *meshpipe_open_first_library(const char *const *files, size_t count, char *reason, size_t size) {
  for (size_t i = 0; i < count; i++) {
    void *library = meshpipe_open_library(files[i]);
    if (library) return library;
    if (i == 0) snprintf(reason, size, "%s", meshpipe_library_reason());
  }
  return NULL;
}

void *meshpipe_need_library(const char *const *files, size_t count, const char *debian, const char *brew, char *words,
                            size_t size) {
  char reason[256];
  void *library = meshpipe_open_first_library(files, count, reason, sizeof reason);
  if (!library)
    snprintf(words, size, "can't be loaded (%s); install it with 'apt-get install %s' or 'brew install %s'", reason,
             debian, brew);
  return library;
}

void *meshpipe_library_function(void *library, const char *name, const char **missing) {
  void *function = dlsym(library, name);
  if (!function && !*missing) *missing = name;
  return function;
}
