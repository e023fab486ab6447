#include "libav.h"

#include "CVideo.h"

#include "CDynamicLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Structures are laid out as in the headers, so the major versions must match.
#ifdef __APPLE__
#define FILE_NAME(name, major) "lib" name "." AV_STRINGIFY(major) ".dylib"
#else
#define FILE_NAME(name, major) "lib" name ".so." AV_STRINGIFY(major)
#endif

static libav_functions functions;
static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(const char *file) {
  void *library = meshpipe_open_library(file);
  if (!library && !failure[0])
    snprintf(failure, sizeof failure,
             "needs FFmpeg's libraries, and %s can't be loaded (%s); install them with 'apt-get install "
             "ffmpeg' or 'brew install ffmpeg'",
             file, meshpipe_library_reason());
  return library;
}

static void load(void) {
  // In the order of their dependencies.
  void *avutil = open_library(FILE_NAME("avutil", LIBAVUTIL_VERSION_MAJOR));
  void *avcodec = open_library(FILE_NAME("avcodec", LIBAVCODEC_VERSION_MAJOR));
  void *avformat = open_library(FILE_NAME("avformat", LIBAVFORMAT_VERSION_MAJOR));
  void *swscale = open_library(FILE_NAME("swscale", LIBSWSCALE_VERSION_MAJOR));
  if (failure[0]) return;
#define LIBAV_LOAD(library, name)                                                               \
  *(void **)&functions.name = dlsym(library, #name);                                            \
  if (!functions.name && !failure[0])                                                           \
    snprintf(failure, sizeof failure, "needs FFmpeg's function " #name ", which is not in the " \
                                      "installed " #library);
  LIBAV_FUNCTIONS(LIBAV_LOAD)
#undef LIBAV_LOAD
  // Damage is reported through results, not on standard error.
  if (!failure[0]) functions.av_log_set_level(AV_LOG_QUIET);
}

const libav_functions *meshpipe_libav(char *error, size_t error_size) {
  pthread_once(&once, load);
  if (!failure[0]) return &functions;
  snprintf(error, error_size, "%s", failure);
  return NULL;
}

const char *meshpipe_video_version(char *error, size_t size) {
  const libav_functions *av = meshpipe_libav(error, size);
  return av ? av->av_version_info() : NULL;
}
