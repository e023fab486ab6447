#define _GNU_SOURCE 1
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

static int prepare_actions(posix_spawn_file_actions_t *actions, int input, int output,
                           int errors, int shared) {
  // No move overwrites the source of another: `move_above_standard` keeps all of them above 3.
  int error = posix_spawn_file_actions_adddup2(actions, input, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, output, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, errors, 2);
  if (!error && shared >= 0) error = posix_spawn_file_actions_adddup2(actions, shared, 3);
#if defined(__GLIBC__)
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, shared >= 0 ? 4 : 3);
#endif
  return error;
}

static int prepare_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  int error = posix_spawnattr_setpgroup(attributes, 0);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setflags(attributes, flags);
  return error;
}

int sandbox_spawn(const char *path, char *const arguments[], char *const environment[],
                  int standard_input, int standard_output, int standard_error, int shared,
                  pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  error = prepare_actions(&actions, standard_input, standard_output, standard_error, shared);
  if (!error) error = prepare_attributes(&attributes);
  if (!error) error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// A program may have been started with descriptors 0 to 3 closed; a pipe that got one of these
// numbers would be overwritten by the file actions above.
static int move_above_standard(int *descriptor) {
  if (*descriptor > 3) return 0;
  int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, 4);
  if (moved < 0) return errno;
  close(*descriptor);
  *descriptor = moved;
  return 0;
}

static int finish_pair(int descriptors[2]) {
  for (int end = 0; end < 2; end++) {
    int error = move_above_standard(&descriptors[end]);
#if !defined(__linux__)
    if (!error && fcntl(descriptors[end], F_SETFD, FD_CLOEXEC) < 0) error = errno;
#endif
    if (error) {
      close(descriptors[0]);
      close(descriptors[1]);
      return error;
    }
  }
  return 0;
}

int sandbox_pipe(int descriptors[2]) {
#if defined(__linux__)
  if (pipe2(descriptors, O_CLOEXEC) < 0) return errno;
  fcntl(descriptors[1], F_SETPIPE_SZ, 1 << 20);
#else
  if (pipe(descriptors) < 0) return errno;
#endif
  return finish_pair(descriptors);
}

int sandbox_socket_pair(int descriptors[2]) {
#if defined(__linux__)
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, descriptors) < 0) return errno;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors) < 0) return errno;
  int on = 1;
  setsockopt(descriptors[1], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  int size = 1 << 20;
  setsockopt(descriptors[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return finish_pair(descriptors);
}

ssize_t sandbox_send(int descriptor, const void *bytes, size_t count) {
#if defined(__linux__)
  ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
#else
  ssize_t sent = send(descriptor, bytes, count, MSG_DONTWAIT);
#endif
  return sent < 0 ? -(ssize_t)errno : sent;
}
