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

/// What happens in the new process: confinement, then the program. Returns only when that fails.
static int become(const struct sandbox_program *program, const struct sandbox_limits *limits,
                  pid_t supervisor) {
  setpgid(0, 0);
  signal(SIGTERM, SIG_DFL);
  // A ceiling on file size is to be an error of write, as a full disk is.
  signal(SIGXFSZ, SIG_IGN);
  if (chdir(program->folder) < 0) return refuse(sandbox_not_confined, program->folder, errno);
  int error = sandbox_set_limits(limits);
  if (error) return refuse(sandbox_not_confined, "limits", error);
  error = sandbox_bind_to_parent(supervisor);
  if (error) return refuse(sandbox_not_confined, "tie to the supervisor", error);
  int version = sandbox_restrict_writing(program->writable, program->writable_count);
  if (version < 0) return refuse(sandbox_not_confined, "view of the files", -version);
  int filter = sandbox_restrict_network();
  if (filter < 0) return refuse(sandbox_not_confined, "filter of system calls", -filter);
  execve(program->path, program->arguments, program->environment);
  return refuse(sandbox_not_started, program->path, errno);
}

#if defined(__linux__)

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
    // A number at the very end may be cut off; it comes again.
    if (end == rest || (*end == 0 && count == sizeof text - 1)) return;
    kill((pid_t)child, SIGKILL);
  }
}

/// Ends everything below this process. The children of what ends become children of this process, so
/// that it goes on until there are none.
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

static void end_all(pid_t program) {
  kill(-program, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) continue;
}

static void prepare(pid_t parent) { (void)parent; }

#endif

int sandbox_supervise(const struct sandbox_program *program, const struct sandbox_limits *limits,
                      pid_t parent) {
  // Blocked but while waiting, so that no signal comes between the look and the wait.
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
  pid_t child = fork();
  if (child < 0) return refuse(sandbox_not_started, program->path, errno);
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    _exit(become(program, limits, supervisor));
  }
  setpgid(child, child);
  // What is said to the program, and what it says, is none of this process's business.
  for (int descriptor = 0; descriptor < 3; descriptor++) close(descriptor);
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
  return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
