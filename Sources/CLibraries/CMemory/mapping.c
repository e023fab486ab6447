#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CMemory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

// Reused but never freed, since a signal handler may be walking the list.
struct meshpipe_mapping {
  // Zero while nothing is mapped.
  _Atomic uintptr_t start;
  _Atomic uintptr_t end;
  _Atomic int is_damaged;
  struct meshpipe_mapping *next;
  struct meshpipe_mapping *next_free;
};

static struct meshpipe_mapping *_Atomic all;
static struct meshpipe_mapping *free_ones;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction earlier;
static uintptr_t page_size;

// Replaces everything from the page at an address to the end of its mapping by zeros.
//
// The file ends before that page, so nothing follows it either.
static int replace(uintptr_t address) {
  for (struct meshpipe_mapping *mapping = atomic_load(&all); mapping; mapping = mapping->next) {
    uintptr_t start = atomic_load(&mapping->start), end = atomic_load(&mapping->end);
    if (start == 0 || address < start || address >= end) continue;
    uintptr_t page = address & ~(page_size - 1);
    atomic_store(&mapping->is_damaged, 1);
    return mmap((void *)page, end - page, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return 0;
}

static void on_bus_error(int number, siginfo_t *information, void *context) {
  int saved = errno;
  int is_replaced = replace((uintptr_t)information->si_addr);
  errno = saved;
  if (is_replaced) return;
  if (earlier.sa_flags & SA_SIGINFO) {
    earlier.sa_sigaction(number, information, context);
  } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
    earlier.sa_handler(number);
  } else {
    // The access is retried, and ends the process as it would have without this handler.
    signal(number, SIG_DFL);
  }
}

static void prepare(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_bus_error;
  // Several threads may reach the end at once, each on its own stack.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &earlier);
}

static struct meshpipe_mapping *take(void) {
  pthread_mutex_lock(&free_lock);
  struct meshpipe_mapping *mapping = free_ones;
  if (mapping) free_ones = mapping->next_free;
  pthread_mutex_unlock(&free_lock);
  if (mapping) return mapping;
  mapping = calloc(1, sizeof *mapping);
  if (!mapping) return NULL;
  mapping->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &mapping->next, mapping)) {
  }
  return mapping;
}

static void give_back(struct meshpipe_mapping *mapping) {
  pthread_mutex_lock(&free_lock);
  mapping->next_free = free_ones;
  free_ones = mapping;
  pthread_mutex_unlock(&free_lock);
}

meshpipe_mapping *meshpipe_mapping_open(int descriptor, size_t count) {
  pthread_once(&once, prepare);
  struct meshpipe_mapping *mapping = take();
  if (!mapping) return NULL;
  void *address = mmap(NULL, count, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    int code = errno;
    give_back(mapping);
    errno = code;
    return NULL;
  }
  atomic_store(&mapping->is_damaged, 0);
  atomic_store(&mapping->end, (uintptr_t)address + count);
  atomic_store(&mapping->start, (uintptr_t)address);
  return mapping;
}

const uint8_t *meshpipe_mapping_bytes(const meshpipe_mapping *mapping) {
  return (const uint8_t *)atomic_load(&mapping->start);
}

int meshpipe_mapping_is_damaged(const meshpipe_mapping *mapping) {
  return atomic_load(&mapping->is_damaged);
}

void meshpipe_mapping_close(meshpipe_mapping *mapping) {
  uintptr_t start = atomic_load(&mapping->start), end = atomic_load(&mapping->end);
  // First, so that a signal for another mapping at this address is not attributed to this one.
  atomic_store(&mapping->start, 0);
  munmap((void *)start, end - start);
  give_back(mapping);
}
