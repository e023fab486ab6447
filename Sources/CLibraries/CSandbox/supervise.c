#define _GNU_SOURCE 1
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <poll.h>
#include <sys/prctl.h>
#endif

static volatile sig_atomic_t is_told_to_end = 0;

static void take_note(int signal) {
  (void)signal;
  is_told_to_end = 1;
}

/// Says why the program was not started, in the child or the supervisor.
static int refuse(int status, const char *what, int error) {
  dprintf(2, "%s: %s\n", what, strerror(error));
  return status;
}

/// Confines this process, then becomes the program. Returns only when that fails.
static int become(const struct sandbox_program *program, const struct sandbox_limits *limits) {
  signal(SIGTERM, SIG_DFL);
  // Exceeding the limit of file size shall be a write error, as a full disk is.
  signal(SIGXFSZ, SIG_IGN);
  if (chdir(program->folder) < 0) return refuse(sandbox_not_confined, program->folder, errno);
  int error = sandbox_set_limits(limits);
  if (error) return refuse(sandbox_not_confined, "limits", error);
  error = sandbox_drop_capabilities();
  if (error) return refuse(sandbox_not_confined, "capabilities", error);
  int version = sandbox_restrict_program(program->readable, program->readable_count,
                                         program->writable, program->writable_count,
                                         program->network);
  if (version < 0) return refuse(sandbox_not_confined, "view of the files", -version);
  int filter = sandbox_restrict_program_calls(program->network);
  if (filter < 0) return refuse(sandbox_not_confined, "filter of system calls", -filter);
  execve(program->path, program->arguments, program->environment);
  return refuse(sandbox_not_started, program->path, errno);
}

/// Runs in the new process when the program gets no sandbox of its own.
static int begin(const struct sandbox_program *program, const struct sandbox_limits *limits,
                 pid_t supervisor) {
  // Detached from the user's terminal, too.
  setsid();
  int error = sandbox_bind_to_parent(supervisor);
  if (error) return refuse(sandbox_not_confined, "tie to the supervisor", error);
  return become(program, limits);
}

// The descriptors with which a sandbox is started: none of its own, so that its output and open files interfere
// with nothing, and the program's above the one for shared memory.
enum { inner_input = 4, inner_output, inner_errors, inner_ready };

int sandbox_enter(const struct sandbox_program *program, const struct sandbox_limits *limits) {
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (dup2(inner_input + descriptor, descriptor) < 0) return sandbox_not_confined;
    close(inner_input + descriptor);
  }
  if (write(inner_ready, "", 1) != 1) return sandbox_not_confined;
  close(inner_ready);
  return become(program, limits);
}

#if defined(__linux__)

/// Runs in the new process that starts the program in a sandbox. Returns only when that fails.
static void begin_sandbox(const struct sandbox_program *program, int ready, pid_t supervisor) {
  setpgid(0, 0);
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != supervisor) return;
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  // Out of the way of the numbers below.
  nothing = fcntl(nothing, F_DUPFD_CLOEXEC, 16);
  ready = fcntl(ready, F_DUPFD_CLOEXEC, 16);
  if (nothing < 0 || ready < 0 || dup2(ready, inner_ready) < 0) return;
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (dup2(descriptor, inner_input + descriptor) < 0) return;
    if (dup2(nothing, descriptor) < 0) return;
  }
  execve(program->sandbox[0], program->sandbox, program->environment);
}

/// Waits until a sandbox is in place. Returns whether it is, and has started the program.
static int stands(int ready, const sigset_t *unblocked) {
  struct pollfd end = {.fd = ready, .events = POLLIN};
  while (!is_told_to_end) {
    if (ppoll(&end, 1, NULL, unblocked) < 0) {
      if (errno == EINTR) continue;
      return 0;
    }
    char byte;
    return read(ready, &byte, 1) == 1;
  }
  return 0;
}

/// Starts the program in its sandbox. Returns its process id, 0 when it shall have none or the sandbox can't be
/// set up, or -1.
static pid_t start_in_sandbox(const struct sandbox_program *program, const sigset_t *unblocked) {
  int ready[2];
  if (!program->sandbox || pipe2(ready, O_CLOEXEC) < 0) return 0;
  pid_t supervisor = getpid();
  pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, unblocked, NULL);
    begin_sandbox(program, ready[1], supervisor);
    _exit(sandbox_not_started);
  }
  close(ready[1]);
  int has_begun = child > 0 && stands(ready[0], unblocked);
  close(ready[0]);
  if (child <= 0 || has_begun || is_told_to_end) return child;
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return 0;
}

/// Sends SIGKILL to every child of this process, adopted ones among them.
static void kill_children(void) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ssize_t count = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  text[count < 0 ? 0 : count] = 0;
  for (char *rest = text, *end;; rest = end) {
    long child = strtol(rest, &end, 10);
    // A number at the very end may be truncated; it is read again.
    if (end == rest || (*end == 0 && count == sizeof text - 1)) return;
    kill((pid_t)child, SIGKILL);
  }
}

/// Ends all descendants of this process. The children of a process that ends become children of this one, so it
/// continues until there are none.
static void end_all(pid_t program) {
  while (1) {
    kill(-program, SIGKILL);
    kill_children();
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (ended < 0 && errno == ECHILD) return;
    usleep(500);
  }
}

static void prepare(pid_t parent) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (getppid() != parent) is_told_to_end = 1;
}

#else

static pid_t start_in_sandbox(const struct sandbox_program *program, const sigset_t *unblocked) {
  (void)program, (void)unblocked;
  return 0;
}

static void end_all(pid_t program) {
  kill(-program, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) continue;
}

static void prepare(pid_t parent) { (void)parent; }

#endif

/// The status that reports the end of a program.
static int meaning(int status, int is_in_sandbox) {
  if (WIFSIGNALED(status)) return 256 + WTERMSIG(status);
  int code = WEXITSTATUS(status);
  // A sandbox reports a signal as shells do.
  return is_in_sandbox && code > 128 && code <= 128 + 64 ? 256 + code - 128 : code;
}

int sandbox_supervise(const struct sandbox_program *program, const struct sandbox_limits *limits,
                      pid_t parent) {
  // Blocked except while waiting, so that no signal arrives between the check and the wait.
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  struct sigaction action = {.sa_handler = take_note};
  sigaction(SIGTERM, &action, NULL);
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, NULL);
  prepare(parent);
  pid_t supervisor = getpid();
  pid_t child = start_in_sandbox(program, &before);
  int is_in_sandbox = child > 0;
  if (child == 0) child = fork();
  if (child < 0) return refuse(sandbox_not_started, program->path, errno);
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    _exit(begin(program, limits, supervisor));
  }
  // This process needs neither the program's pipes nor its memory.
  for (int descriptor = 0; descriptor < 4; descriptor++) close(descriptor);
  int status = 0;
  pid_t ended = 0;
  while (!is_told_to_end && (ended = waitpid(-1, &status, WNOHANG)) != child) {
    if (ended > 0) continue;
    int signal;
    if (ended < 0 && errno != EINTR) break;
    sigwait(&blocked, &signal);
    if (signal == SIGTERM) is_told_to_end = 1;
  }
  if (ended != child) status = SIGKILL;
  end_all(child);
  return meaning(status, is_in_sandbox);
}
