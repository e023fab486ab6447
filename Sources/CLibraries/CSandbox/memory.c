#define _GNU_SOURCE 1
#include "CSandbox.h"

#include <errno.h>

#if defined(__GLIBC__)

#include <malloc.h>
#include <stdlib.h>

void sandbox_fill_memory(unsigned char fill) {
  mallopt(M_PERTURB, fill);
  // Otherwise freed memory goes back to the system, and returns zeroed.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  // Fresh memory is zero; memory that was used and freed is not.
  enum { blocks = 64, size = 100 << 10 };
  void *used[blocks];
  for (int index = 0; index < blocks; index++) used[index] = malloc(size);
  for (int index = 0; index < blocks; index++) free(used[index]);
}

#else

void sandbox_fill_memory(unsigned char fill) { (void)fill; }

#endif

#if !defined(__linux__)

int sandbox_shared_memory(uint64_t size) {
  (void)size;
  return -ENOSYS;
}

uint64_t sandbox_virtual_memory(void) { return 0; }

void sandbox_free_shared_memory(int descriptor, uint64_t offset, uint64_t size) {
  (void)descriptor, (void)offset, (void)size;
}

#else

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// Since Linux 6.3, which logs a warning when the flag is missing.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int sandbox_shared_memory(uint64_t size) {
  // Beyond a limit on file size `ftruncate` raises a signal that ends the process.
  struct rlimit ceiling;
  if (getrlimit(RLIMIT_FSIZE, &ceiling) < 0) return -errno;
  if (size > ceiling.rlim_cur) return -EFBIG;
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int descriptor = memfd_create("meshpipe", flags | MFD_NOEXEC_SEAL);
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create("meshpipe", flags);
  if (descriptor < 0) return -errno;
  // Above the number that it has in the child: see `sandbox_spawn`.
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 4);
  int failure = moved < 0 ? errno : 0;
  close(descriptor);
  if (failure) return -failure;
  descriptor = moved;
  if (ftruncate(descriptor, (off_t)size) < 0 ||
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  return descriptor;
}

void sandbox_free_shared_memory(int descriptor, uint64_t offset, uint64_t size) {
  // Where the call fails the pages stay until the file goes.
  fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}

uint64_t sandbox_virtual_memory(void) {
  char text[64];
  int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t count = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  text[count < 0 ? 0 : count] = 0;
  return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

#endif
