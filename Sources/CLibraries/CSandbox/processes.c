#define _GNU_SOURCE 1
#include "CSandbox.h"

#include <fcntl.h>
#if defined(__linux__)
#include <link.h>
#include <malloc.h>
#include <sched.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__APPLE__)

#include <crt_externs.h>
#include <libproc.h>

char *const *sandbox_environment(void) { return *_NSGetEnviron(); }

static int64_t memory_of(pid_t process, int depth) {
  struct rusage_info_v0 usage;
  if (proc_pid_rusage(process, RUSAGE_INFO_V0, (rusage_info_t *)&usage) != 0) return 0;
  int64_t bytes = (int64_t)usage.ri_resident_size;
  pid_t children[64];
  int count = depth > 0 ? proc_listchildpids(process, children, sizeof children) : 0;
  for (int index = 0; index < count && index < 64; index++)
    bytes += memory_of(children[index], depth - 1);
  return bytes;
}

#else

#include <dirent.h>

extern char **environ;

char *const *sandbox_environment(void) { return environ; }

static int read_text(const char *path, char *text, size_t size) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  ssize_t count = read(descriptor, text, size - 1);
  close(descriptor);
  if (count < 0) return -1;
  text[count] = 0;
  return 0;
}

static int64_t memory_of(pid_t process, int depth) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
  if (read_text(path, text, sizeof text) < 0) return 0;
  long long all = 0, resident = 0;
  if (sscanf(text, "%lld %lld", &all, &resident) != 2) return 0;
  int64_t bytes = resident * (int64_t)sysconf(_SC_PAGESIZE);
  if (depth == 0) return bytes;

  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *threads = opendir(path);
  if (!threads) return bytes;
  for (struct dirent *entry; (entry = readdir(threads));) {
    if (entry->d_name[0] == '.') continue;
    char list[320];
    snprintf(list, sizeof list, "/proc/%d/task/%s/children", (int)process, entry->d_name);
    if (read_text(list, text, sizeof text) < 0) continue;
    for (char *rest = text, *end; (all = strtoll(rest, &end, 10)), end != rest; rest = end)
      bytes += memory_of((pid_t)all, depth - 1);
  }
  closedir(threads);
  return bytes;
}

#endif

// A batch worker starts a supervisor, which starts a sandbox of two processes, a plugin in it, and whatever that
// starts.
enum { generations = 6 };

int64_t sandbox_resident_memory(pid_t process) { return memory_of(process, generations); }

int sandbox_allowed_cores(void) {
#if defined(__linux__)
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
#else
  return 0;
#endif
}

void sandbox_return_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

#if defined(__linux__)

struct listener {
  void (*each)(const char *path, void *context);
  void *context;
};

static int tell_library(struct dl_phdr_info *library, size_t size, void *context) {
  (void)size;
  struct listener *listener = context;
  // The program itself has no name, and the kernel's library no path.
  if (library->dlpi_name && library->dlpi_name[0] == '/')
    listener->each(library->dlpi_name, listener->context);
  return 0;
}

void sandbox_loaded_libraries(void (*each)(const char *path, void *context), void *context) {
  struct listener listener = {each, context};
  dl_iterate_phdr(tell_library, &listener);
}

#else

void sandbox_loaded_libraries(void (*each)(const char *path, void *context), void *context) {
  (void)each, (void)context;
}

#endif
