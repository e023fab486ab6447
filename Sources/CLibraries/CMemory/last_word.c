// Ends a process that crashes with an exit code, and with a line that says where it was.
//
// A crash is a fault of a program and leaves its memory in any state. So the handler neither allocates nor waits for a
// lock: the text lies ready, and what it calls POSIX allows in handlers.
#define _GNU_SOURCE 1
#include "CMemory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { activity_size = 400, line_size = 800 };

static const struct {
  int number;
  const char *name;
} crashes[] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
    {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGSEGV, "SIGSEGV"},
};

enum { crash_count = sizeof crashes / sizeof crashes[0] };

static _Atomic int ending_status;
static char ending[160];

// Two texts, of which one is shown while the other is written.
static char activities[2][activity_size];
static _Atomic int shown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// For the thread that has exhausted its own.
static char stack_memory[1 << 16];

struct line {
  char text[line_size];
  size_t length;
};

static void append(struct line *line, const char *text) {
  while (*text && line->length < line_size - 1) line->text[line->length++] = *text++;
}

static void on_crash(int number, siginfo_t *information, void *context) {
  (void)information;
  (void)context;
  static atomic_flag has_begun = ATOMIC_FLAG_INIT;
  // Another thread has crashed before, and ends the process.
  while (atomic_flag_test_and_set(&has_begun)) pause();
  struct line line = {.length = 0};
  append(&line, "meshpipe: error: crashed (");
  for (int index = 0; index < crash_count; index++)
    if (crashes[index].number == number) append(&line, crashes[index].name);
  append(&line, ")");
  const char *activity = activities[atomic_load(&shown)];
  if (*activity) append(&line, " ");
  append(&line, activity);
  append(&line, ending);
  line.text[line.length++] = '\n';
  int status = atomic_load(&ending_status);
  if (write(2, line.text, line.length) < 0) _exit(status);
  _exit(status);
}

void meshpipe_note_activity(const char *text) {
  pthread_mutex_lock(&lock);
  int hidden = 1 - atomic_load(&shown);
  size_t length = strnlen(text, activity_size - 1);
  memcpy(activities[hidden], text, length);
  activities[hidden][length] = 0;
  atomic_store(&shown, hidden);
  pthread_mutex_unlock(&lock);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OTHER_HANDLERS 1
#endif
#endif

void meshpipe_give_last_word(int status, const char *text) {
#if !defined(HAS_OTHER_HANDLERS)
  strncpy(ending, text, sizeof ending - 1);
  atomic_store(&ending_status, status);
  stack_t stack = {.ss_sp = stack_memory, .ss_size = sizeof stack_memory};
  sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // A crash of the handler itself ends the process.
  sigfillset(&action.sa_mask);
  sigset_t signals;
  sigemptyset(&signals);
  for (int index = 0; index < crash_count; index++) {
    sigaction(crashes[index].number, &action, NULL);
    sigaddset(&signals, crashes[index].number);
  }
  // The process may have been started with some blocked.
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
#else
  (void)status;
  (void)text;
#endif
}
