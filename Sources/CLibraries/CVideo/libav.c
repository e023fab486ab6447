#include "libav.h"

#include "CVideo.h"

#include "CDynamicLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __APPLE__
#define FILE_NAME "lib%s.%d.dylib"
#else
#define FILE_NAME "lib%s.so.%d"
#endif

// Why a release can't be used.
typedef struct {
  char file[32];     // the library at fault
  char reason[256];  // in the loader's words or ours
} release_fault;

// The libraries of a release, in the order of their dependencies.
typedef struct {
  void *avutil, *avcodec, *avformat, *swscale;
} library_set;

static libav_functions functions;
static char failure[1000];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(const char *name, int version, release_fault *fault) {
  if (fault->file[0]) return NULL;
  char file[sizeof fault->file];
  snprintf(file, sizeof file, FILE_NAME, name, version);
  void *library = meshpipe_open_library(file);
  if (library) return library;
  memcpy(fault->file, file, sizeof file);
  snprintf(fault->reason, sizeof fault->reason, "%s", meshpipe_library_reason());
  return NULL;
}

static void close_libraries(const library_set *set) {
  if (set->swscale) dlclose(set->swscale);
  if (set->avformat) dlclose(set->avformat);
  if (set->avcodec) dlclose(set->avcodec);
  if (set->avutil) dlclose(set->avutil);
}

static void find_functions(const library_set *set, release_fault *fault) {
#define LIBAV_LOAD(library, name)                                                     \
  *(void **)&functions.name = dlsym(set->library, #name);                             \
  if (!functions.name && !fault->file[0]) {                                           \
    snprintf(fault->file, sizeof fault->file, "lib" #library);                        \
    snprintf(fault->reason, sizeof fault->reason, "it lacks the function " #name);    \
  }
  LIBAV_FUNCTIONS(LIBAV_LOAD)
#undef LIBAV_LOAD
}

// A link may give a library the name of another version, whose fields lie elsewhere.
static void check_version(const char *name, int named, unsigned number, release_fault *fault) {
  const int found = (int)(number >> 16);
  if (found == named || fault->file[0]) return;
  snprintf(fault->file, sizeof fault->file, FILE_NAME, name, named);
  snprintf(fault->reason, sizeof fault->reason, "it is version %d", found);
}

static bool open_release(const libav_release *release, release_fault *fault) {
  library_set set = {0};
  set.avutil = open_library("avutil", release->avutil, fault);
  set.avcodec = open_library("avcodec", release->avcodec, fault);
  set.avformat = open_library("avformat", release->avformat, fault);
  set.swscale = open_library("swscale", release->swscale, fault);
  if (!fault->file[0]) find_functions(&set, fault);
  if (!fault->file[0]) {
    check_version("avutil", release->avutil, functions.avutil_version(), fault);
    check_version("avcodec", release->avcodec, functions.avcodec_version(), fault);
    check_version("avformat", release->avformat, functions.avformat_version(), fault);
    check_version("swscale", release->swscale, functions.swscale_version(), fault);
  }
  if (fault->file[0]) {
    close_libraries(&set);
    return false;
  }
  functions.release = release;
  return true;
}

__attribute__((format(printf, 1, 2))) static void add_to_failure(const char *words, ...) {
  const size_t length = strlen(failure);
  va_list values;
  va_start(values, words);
  vsnprintf(failure + length, sizeof failure - length, words, values);
  va_end(values);
}

// Whether the loader found no file at all, as for all releases but the installed one: it then names no folder.
static bool is_absent(const release_fault *fault) {
  const size_t length = strlen(fault->file);
  return strncmp(fault->reason, fault->file, length) == 0 && fault->reason[length] == ':';
}

// Names every release that was tried, with the reasons of those of which something is there.
static void explain(const libav_release *releases, const release_fault *faults, size_t count) {
  int oldest = releases[0].number, newest = oldest;
  for (size_t i = 1; i < count; i++) {
    if (releases[i].number < oldest) oldest = releases[i].number;
    if (releases[i].number > newest) newest = releases[i].number;
  }
  if (oldest == newest) add_to_failure("needs FFmpeg %d, and", oldest);
  else add_to_failure("needs FFmpeg of one release from %d to %d, and", oldest, newest);
  size_t absent = count;
  for (size_t i = 0; i < count; i++) {
    const bool is_first = absent == count && is_absent(&faults[i]);
    if (is_first) absent = i;
    if (is_first || !is_absent(&faults[i]))
      add_to_failure("%s %s of FFmpeg %d can't be loaded (%s)", i ? "," : "", faults[i].file,
                     releases[i].number, faults[i].reason);
  }
  const char *before = ", nor ";
  for (size_t i = absent + 1; i < count; i++) {
    if (!is_absent(&faults[i])) continue;
    add_to_failure("%s%s", before, faults[i].file);
    before = ", ";
  }
  add_to_failure("; install it with 'apt-get install ffmpeg' or 'brew install ffmpeg'");
}

static void load(void) {
  size_t count;
  const libav_release *releases = meshpipe_libav_releases(&count);
  release_fault faults[8] = {0};
  if (count > sizeof faults / sizeof *faults) count = sizeof faults / sizeof *faults;
  for (size_t i = 0; i < count; i++) {
    if (!open_release(&releases[i], &faults[i])) continue;
    // Damage is reported through results, not on standard error.
    functions.av_log_set_level(AV_LOG_QUIET);
    return;
  }
  explain(releases, faults, count);
}

const libav_functions *meshpipe_libav(char *error, size_t error_size) {
  pthread_once(&once, load);
  if (!failure[0]) return &functions;
  snprintf(error, error_size, "%s", failure);
  return NULL;
}

bool meshpipe_is_damaged(const libav_functions *av, const AVFrame *frame) {
  return LIBAV_FIELD(av, AVFrame, frame, flags) & AV_FRAME_FLAG_CORRUPT ||
         LIBAV_FIELD(av, AVFrame, frame, decode_error_flags);
}

const char *meshpipe_video_version(char *error, size_t size) {
  const libav_functions *av = meshpipe_libav(error, size);
  return av ? av->av_version_info() : NULL;
}
