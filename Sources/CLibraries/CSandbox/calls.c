#define _GNU_SOURCE 1
#include "CSandbox.h"

#if !defined(__linux__)

int sandbox_restrict_calls(void) { return 0; }

int sandbox_restrict_decoder_calls(void) { return 0; }

int sandbox_restrict_program_calls(int network) {
  (void)network;
  return 0;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if !defined(THIS_ARCHITECTURE)

int sandbox_restrict_calls(void) { return 0; }

int sandbox_restrict_decoder_calls(void) { return 0; }

int sandbox_restrict_program_calls(int network) {
  (void)network;
  return 0;
}

#else

// The calls that computing with open files needs: memory, threads and clocks; the most frequent first. `fstat` is one of
// a name in newer libraries.
static const uint32_t common_calls[] = {
    SYS_read, SYS_write, SYS_futex, SYS_mmap, SYS_munmap, SYS_madvise, SYS_brk, SYS_lseek, SYS_close,
    SYS_fstat, SYS_newfstatat, SYS_mprotect, SYS_mremap, SYS_clock_gettime,
    // Open files.
    SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_statx, SYS_fcntl, SYS_dup, SYS_dup3,
    SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_fadvise64, SYS_fstatfs, SYS_ppoll, SYS_pselect6,
    // Threads.
    SYS_clone, 435, SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_exit, SYS_exit_group,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_membarrier, SYS_getpriority,
    SYS_eventfd2, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_timerfd_create,
    SYS_timerfd_settime,
    // The process itself: signals, limits, names.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_tgkill, SYS_getpid,
    SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrusage,
    SYS_setrlimit, SYS_sysinfo, SYS_uname, SYS_getrandom, SYS_restart_syscall,
    // Clocks.
    SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
#if defined(__x86_64__)
    // Old calls that other architectures never had.
    SYS_dup2, SYS_poll, SYS_select, SYS_epoll_wait, SYS_epoll_create, SYS_time, SYS_arch_prctl,
    SYS_getrlimit,
#endif
};

// What reading and writing models needs beside these: files by their names.
static const uint32_t file_calls[] = {
    SYS_openat, SYS_readlinkat, SYS_faccessat, 439, SYS_getcwd, SYS_getdents64, SYS_unlinkat,
#if defined(__x86_64__)
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_unlink,
#endif
};

// What decoders need instead: files that are handed to them.
static const uint32_t decoder_calls[] = {SYS_recvmsg};

// What programs in any language need beside these. Landlock restricts those that create, rename, link or remove files,
// and the kernel those that concern other processes. It does not restrict the calls that change a file's mode, owner,
// times or attributes, so none of these is here.
static const uint32_t program_calls[] = {
    // Files.
    SYS_chdir, SYS_fchdir, SYS_mkdirat, SYS_mknodat, SYS_symlinkat, SYS_linkat, SYS_renameat,
    SYS_renameat2, SYS_fallocate, SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_statfs,
    SYS_flock, SYS_pipe2, SYS_splice, SYS_tee, SYS_vmsplice, SYS_sendfile, SYS_copy_file_range,
    SYS_sync_file_range, SYS_readahead, SYS_inotify_init1, SYS_inotify_add_watch,
    SYS_inotify_rm_watch, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr,
    SYS_flistxattr, SYS_umask, SYS_memfd_create, SYS_signalfd4, SYS_timerfd_gettime,
    436,  // close_range
    441,  // epoll_pwait2
    // Memory.
    SYS_mincore, SYS_msync, SYS_mlock, SYS_mlock2, SYS_munlock, SYS_get_mempolicy, SYS_set_mempolicy,
    SYS_mbind, SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect,
    // Processes.
    SYS_execve, SYS_execveat, SYS_wait4, SYS_waitid, SYS_kill, SYS_tkill, SYS_setsid, SYS_getsid,
    SYS_setpgid, SYS_getpgid, SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_capget, SYS_prctl,
    SYS_seccomp, SYS_getcpu, SYS_sched_setaffinity, SYS_sched_getattr, SYS_sched_rr_get_interval,
    SYS_get_robust_list,
    444, 445, 446,  // Landlock, by which they may restrict themselves further
    // Signals and clocks.
    SYS_rt_sigpending, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_getitimer, SYS_setitimer,
    SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete,
    SYS_times,
    // Connected pairs of sockets.
    SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown,
    SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork, SYS_getpgrp, SYS_pipe, SYS_mkdir, SYS_rmdir, SYS_rename, SYS_link,
    SYS_symlink, SYS_mknod, SYS_creat, SYS_alarm, SYS_pause, SYS_eventfd, SYS_signalfd,
    SYS_inotify_init, SYS_getdents,
#else
    SYS_getrlimit,
#endif
};

static const uint32_t network_calls[] = {SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4};

#define STEP(code, value) BPF_STMT((code) | BPF_K, (value))
#define JUMP(condition, value, yes, no) BPF_JUMP(BPF_JMP | (condition) | BPF_K, (value), (yes), (no))
#define LOAD(field) STEP(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW STEP(BPF_RET, SECCOMP_RET_ALLOW)
#define FAIL(error) STEP(BPF_RET, SECCOMP_RET_ERRNO | (error))
// The following `count` steps, of which the last returns, are for one call only.
#define FOR_CALL(call, count) JUMP(BPF_JEQ, (call), 0, (count))

// Landlock before version 3 lets a file be emptied that may be read. `flags` is the number of an argument.
#define OPENING(call, flags)                                                                      \
  FOR_CALL(call, 5), LOAD(args[flags]), STEP(BPF_ALU | BPF_AND, O_ACCMODE | O_TRUNC),             \
      JUMP(BPF_JEQ, O_RDONLY | O_TRUNC, 0, 1), FAIL(EPERM), ALLOW

#define NEW_NAMESPACES                                                                            \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |   \
   CLONE_NEWNET)

enum {
  call_clone3 = 435,
  /// Since Linux 5.1: libraries have another way where one of these is unknown, and none where it is forbidden.
  first_new_call = 424,
};

static const struct sock_filter start[] = {
    LOAD(arch), JUMP(BPF_JEQ, THIS_ARCHITECTURE, 1, 0), STEP(BPF_RET, SECCOMP_RET_KILL_PROCESS),
    // Numbers from here on are those of x32 for the same calls.
    LOAD(nr), JUMP(BPF_JGE, 0x40000000, 0, 1), FAIL(EPERM),
};

// Calls of programs that depend on their arguments, of which the low halves are looked at.
static const struct sock_filter program_rules[] = {
    OPENING(SYS_openat, 2),
#if defined(__x86_64__)
    OPENING(SYS_open, 1),
#endif
    // Its flags are in memory, where no filter can look; libraries then use 'clone'.
    FOR_CALL(call_clone3, 1), FAIL(ENOSYS),
    FOR_CALL(SYS_clone, 4), LOAD(args[0]), JUMP(BPF_JSET, NEW_NAMESPACES, 0, 1), FAIL(EPERM), ALLOW,
    // Limits of the process itself.
    FOR_CALL(SYS_prlimit64, 4), LOAD(args[0]), JUMP(BPF_JEQ, 0, 0, 1), ALLOW, FAIL(EPERM),
    // The priority of the process itself.
    FOR_CALL(SYS_setpriority, 6), LOAD(args[0]), JUMP(BPF_JEQ, 0, 0, 3), LOAD(args[1]),
    JUMP(BPF_JEQ, 0, 0, 1), ALLOW, FAIL(EPERM),
    // Attributes, seals and volumes of file systems, which need no right to write: 'f', 'v', 'X', 'r' (FAT), and Btrfs.
    FOR_CALL(SYS_ioctl, 10), LOAD(args[1]), STEP(BPF_ALU | BPF_RSH, 8), STEP(BPF_ALU | BPF_AND, 0xFF),
    JUMP(BPF_JEQ, 'f', 5, 0), JUMP(BPF_JEQ, 'v', 4, 0), JUMP(BPF_JEQ, 'X', 3, 0),
    JUMP(BPF_JEQ, 'r', 2, 0), JUMP(BPF_JEQ, 0x94, 1, 0), ALLOW, FAIL(EPERM),
    // Datagrams could go to any local service.
    FOR_CALL(SYS_socketpair, 6), LOAD(args[1]), STEP(BPF_ALU | BPF_AND, 0xF),
    JUMP(BPF_JEQ, SOCK_STREAM, 1, 0), JUMP(BPF_JEQ, SOCK_SEQPACKET, 0, 1), ALLOW, FAIL(EPERM),
};

// No local sockets, such as those of key agents.
static const struct sock_filter network_rules[] = {
    FOR_CALL(SYS_socket, 5), LOAD(args[0]), JUMP(BPF_JEQ, AF_INET, 1, 0),
    JUMP(BPF_JEQ, AF_INET6, 0, 1), ALLOW, FAIL(EPERM),
};

static const struct sock_filter unknown_call[] = {
    JUMP(BPF_JGE, first_new_call, 0, 1), FAIL(ENOSYS), FAIL(EPERM),
};

static const struct sock_filter forbidden_call[] = {FAIL(EPERM)};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/// A filter in the making.
struct filter {
  struct sock_filter steps[800];
  size_t count;
};

static void add(struct filter *filter, const struct sock_filter *steps, size_t count) {
  for (size_t index = 0; index < count; index++) filter->steps[filter->count++] = steps[index];
}

static void allow(struct filter *filter, const uint32_t *calls, size_t count) {
  for (size_t index = 0; index < count; index++) {
    const struct sock_filter steps[] = {FOR_CALL(calls[index], 1), ALLOW};
    add(filter, steps, COUNT(steps));
  }
}

_Static_assert(COUNT(start) + COUNT(program_rules) + COUNT(network_rules) + COUNT(unknown_call) +
                       2 * (COUNT(common_calls) + COUNT(file_calls) + COUNT(program_calls) +
                            COUNT(network_calls)) <=
                   COUNT(((struct filter *)0)->steps),
               "the longest filter must fit");

static int install(struct filter *filter) {
  struct sock_fprog program = {.len = (unsigned short)filter->count, .filter = filter->steps};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
    return errno == EINVAL || errno == ENOSYS ? 0 : -errno;
  return 1;
}

// Also of threads that a library started when it was opened.
static int install_in_all_threads(struct filter *filter) {
  struct sock_fprog program = {.len = (unsigned short)filter->count, .filter = filter->steps};
  long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (result == 0) return 1;
  // The number of a thread that has other filters.
  if (result > 0) return -EBUSY;
  return errno == EINVAL || errno == ENOSYS ? 0 : -errno;
}

int sandbox_restrict_decoder_calls(void) {
  struct filter filter = {.count = 0};
  add(&filter, start, COUNT(start));
  // Signals to other processes of the user would be allowed to threads by their numbers.
  const struct sock_filter own_rules[] = {
      FOR_CALL(SYS_tgkill, 4), LOAD(args[0]), JUMP(BPF_JEQ, (uint32_t)getpid(), 0, 1), ALLOW,
      FAIL(EPERM),
      // Threads, and no processes, each of which would have limits of its own.
      FOR_CALL(call_clone3, 1), FAIL(ENOSYS),
      FOR_CALL(SYS_clone, 4), LOAD(args[0]), JUMP(BPF_JSET, CLONE_THREAD, 0, 1), ALLOW, FAIL(EPERM),
      // What a descriptor is, and copies of it; its owner would get signals.
      FOR_CALL(SYS_fcntl, 10), LOAD(args[1]), JUMP(BPF_JEQ, F_DUPFD, 7, 0),
      JUMP(BPF_JEQ, F_GETFD, 6, 0), JUMP(BPF_JEQ, F_SETFD, 5, 0), JUMP(BPF_JEQ, F_GETFL, 4, 0),
      JUMP(BPF_JEQ, F_SETFL, 3, 0), JUMP(BPF_JEQ, F_DUPFD_CLOEXEC, 2, 0),
      JUMP(BPF_JEQ, F_GET_SEALS, 1, 0), FAIL(EPERM), ALLOW,
  };
  add(&filter, own_rules, COUNT(own_rules));
  allow(&filter, common_calls, COUNT(common_calls));
  allow(&filter, decoder_calls, COUNT(decoder_calls));
  add(&filter, forbidden_call, COUNT(forbidden_call));
  return install_in_all_threads(&filter);
}

int sandbox_restrict_calls(void) {
  struct filter filter = {.count = 0};
  add(&filter, start, COUNT(start));
  allow(&filter, common_calls, COUNT(common_calls));
  allow(&filter, file_calls, COUNT(file_calls));
  // Other calls fail with EPERM, which libraries handle like a system that lacks the call.
  add(&filter, forbidden_call, COUNT(forbidden_call));
  return install(&filter);
}

int sandbox_restrict_program_calls(int network) {
  struct filter filter = {.count = 0};
  add(&filter, start, COUNT(start));
  add(&filter, program_rules, COUNT(program_rules));
  if (network) add(&filter, network_rules, COUNT(network_rules));
  allow(&filter, common_calls, COUNT(common_calls));
  allow(&filter, file_calls, COUNT(file_calls));
  allow(&filter, program_calls, COUNT(program_calls));
  if (network) allow(&filter, network_calls, COUNT(network_calls));
  add(&filter, unknown_call, COUNT(unknown_call));
  return install(&filter);
}

#endif

#endif
