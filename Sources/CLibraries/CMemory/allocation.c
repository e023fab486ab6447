// Ends a process that is out of memory with a message and an exit code.
//
// Swift's runtime ends it by a trap, with pages of addresses on standard error and an exit code that doesn't suggest
// trying again. So its allocation calls pass through here on their way to the C library's.
#define _GNU_SOURCE 1
#include "CMemory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic int ending_status;

void meshpipe_end_when_out_of_memory(int status) { atomic_store(&ending_status, status); }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OTHER_ALLOCATOR 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_ALLOCATOR)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void give_up(size_t size) {
  int status = atomic_load(&ending_status);
  if (status == 0) return;
  char text[160];
  int length = snprintf(text, sizeof text,
                        "meshpipe: error: out of memory: cannot allocate %zu more bytes\n", size);
  if (length > 0 && write(2, text, (size_t)length) < 0) _exit(status);
  _exit(status);
}

void *malloc(size_t size) {
  void *memory = __libc_malloc(size);
  if (!memory) give_up(size);
  return memory;
}

void *calloc(size_t count, size_t size) {
  void *memory = __libc_calloc(count, size);
  if (!memory) give_up(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
  return memory;
}

void *realloc(void *old, size_t size) {
  void *memory = __libc_realloc(old, size);
  // Without a size it frees.
  if (!memory && size > 0) give_up(size);
  return memory;
}

void *aligned_alloc(size_t alignment, size_t size) {
  void *memory = __libc_memalign(alignment, size);
  if (!memory) give_up(size);
  return memory;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) {
    give_up(size);
    return ENOMEM;
  }
  *result = memory;
  return 0;
}

#endif
