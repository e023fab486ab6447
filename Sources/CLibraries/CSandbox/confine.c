#define _GNU_SOURCE 1
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static int set_limits(int resource, uint64_t value, uint64_t ceiling) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) < 0) return errno;
  rlim_t highest = (rlim_t)ceiling;
  if (limit.rlim_max != RLIM_INFINITY && highest > limit.rlim_max) highest = limit.rlim_max;
  limit.rlim_max = highest;
  limit.rlim_cur = value < highest ? (rlim_t)value : highest;
  return setrlimit(resource, &limit) < 0 ? errno : 0;
}

static int set_limit(int resource, uint64_t value) { return set_limits(resource, value, value); }

#if defined(__linux__)
// The current limits are kept here, since the filter forbids the call that reads them.
static struct rlimit address_space;
#endif

int sandbox_set_limits(const struct sandbox_limits *limits) {
  int error = set_limit(RLIMIT_CORE, 0);
  if (!error) error = set_limit(RLIMIT_CPU, limits->cpu_seconds);
  if (!error) error = set_limit(RLIMIT_FSIZE, limits->file_size);
  if (!error) error = set_limit(RLIMIT_NOFILE, limits->open_files);
#if defined(__linux__)
  // Darwin refuses a limit below what the shared cache already takes.
  if (!error && limits->address_space) {
    error = set_limits(RLIMIT_AS, limits->address_space, limits->address_space_ceiling);
    if (!error && getrlimit(RLIMIT_AS, &address_space) < 0) error = errno;
  }
  if (!error && limits->private_memory) error = set_limit(RLIMIT_DATA, limits->private_memory);
#endif
  return error;
}

#if !defined(__linux__)

int sandbox_bind_to_parent(pid_t parent) { return getppid() == parent ? 0 : ESRCH; }

int sandbox_restrict_files(const char *const readable[], size_t readable_count,
                           const char *const writable[], size_t writable_count) {
  (void)readable, (void)readable_count, (void)writable, (void)writable_count;
  return 0;
}

void sandbox_allow_memory(uint64_t bytes) { (void)bytes; }

int sandbox_can_restrict_files(void) { return 0; }

int sandbox_restrict_program(const char *const readable[], size_t readable_count,
                             const char *const writable[], size_t writable_count, int network) {
  (void)readable, (void)readable_count, (void)writable, (void)writable_count, (void)network;
  return 0;
}

int sandbox_drop_capabilities(void) { return 0; }

int sandbox_drop_groups(void) { return 0; }

int sandbox_restrict_calls(void) { return 0; }

int sandbox_restrict_network(int network) {
  (void)network;
  return 0;
}

#else

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

int sandbox_bind_to_parent(pid_t parent) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) return errno;
  // The parent may have ended before the request above.
  return getppid() == parent ? 0 : ESRCH;
}

void sandbox_allow_memory(uint64_t bytes) {
  rlim_t room = address_space.rlim_max - address_space.rlim_cur;
  address_space.rlim_cur += bytes < room ? bytes : room;
  // glibc would ask for a call that can change other processes.
  if (address_space.rlim_max) syscall(SYS_setrlimit, RLIMIT_AS, &address_space);
}

int sandbox_drop_groups(void) {
  // Only root can, and root reads everybody's files anyway.
  return geteuid() == 0 && setgroups(0, NULL) < 0 && errno != EPERM ? errno : 0;
}

int sandbox_drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, sets) < 0) return errno;
  for (int half = 0; half < _LINUX_CAPABILITY_U32S_3; half++) {
    uint32_t kept = half == 0 ? sets[half].permitted & (1u << CAP_DAC_READ_SEARCH) : 0;
    sets[half].effective = sets[half].permitted = kept;
    sets[half].inheritable = 0;
  }
  // Root's programs get no more either, since privileges can't be gained.
  return syscall(SYS_capset, &header, sets) < 0 ? errno : 0;
}

// Landlock, declared here because Debian 12's header stops at version 2.

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct ruleset_attributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net; // since version 4
  uint64_t scoped;             // since version 6
};

struct path_beneath_attributes {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));

enum {
  fs_execute = 1 << 0,
  fs_write_file = 1 << 1,
  fs_read_file = 1 << 2,
  fs_read_dir = 1 << 3,
  fs_remove_dir = 1 << 4,
  fs_remove_file = 1 << 5,
  fs_make_dir = 1 << 7,
  fs_make_reg = 1 << 8,
  fs_make_sock = 1 << 9,
  fs_make_fifo = 1 << 10,
  fs_make_sym = 1 << 12,
  fs_all_version_1 = (1 << 13) - 1,
  fs_refer = 1 << 13,     // since version 2
  fs_truncate = 1 << 14,  // since version 3
  fs_ioctl_dev = 1 << 15, // since version 5
  net_bind_tcp = 1 << 0,
  net_connect_tcp = 1 << 1,
  scope_abstract_unix_socket = 1 << 0,
  scope_signal = 1 << 1,
  create_ruleset_version = 1 << 0,
  rule_path_beneath = 1,
};

static int allow_beneath(int ruleset, const char *path, uint64_t access) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct stat status;
  int error = fstat(descriptor, &status) < 0 ? errno : 0;
  // A rule for a file must not contain rights that apply to folders.
  if (!error && !S_ISDIR(status.st_mode))
    access &= fs_execute | fs_read_file | fs_write_file | fs_truncate | fs_ioctl_dev;
  struct path_beneath_attributes rule = {.allowed_access = access, .parent_fd = descriptor};
  if (!error && syscall(SYS_landlock_add_rule, ruleset, rule_path_beneath, &rule, 0) < 0)
    error = errno;
  close(descriptor);
  return error;
}

/// The accesses to files that a version of Landlock can forbid.
static uint64_t file_access(int version) {
  uint64_t access = fs_all_version_1;
  if (version >= 2) access |= fs_refer;
  if (version >= 3) access |= fs_truncate;
  if (version >= 5) access |= fs_ioctl_dev;
  return access;
}

/// Makes a set of rules that forbids all that the kernel can, except TCP with `network`. Returns its descriptor, or -1
/// where there is no Landlock, or a negative errno below that.
static int create_ruleset(int *version_out, int network) {
  int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, create_ruleset_version);
  if (version < 1) return -1;
  *version_out = version;
  struct ruleset_attributes attributes = {.handled_access_fs = file_access(version)};
  size_t size = sizeof(uint64_t);
  if (version >= 4) {
    attributes.handled_access_net = network ? 0 : net_bind_tcp | net_connect_tcp;
    size += sizeof(uint64_t);
  }
  if (version >= 6) {
    attributes.scoped = scope_abstract_unix_socket | scope_signal;
    size += sizeof(uint64_t);
  }
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (ruleset >= 0) return ruleset;
  return errno == EOPNOTSUPP || errno == ENOSYS ? -1 : -1 - errno;
}

static int enforce(int ruleset, int error) {
  if (!error && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0) error = errno;
  close(ruleset);
  return error;
}

int sandbox_restrict_files(const char *const readable[], size_t readable_count,
                           const char *const writable[], size_t writable_count) {
  int version = 0;
  int ruleset = create_ruleset(&version, 0);
  if (ruleset < 0) return ruleset + 1;
  uint64_t reading = fs_read_file | fs_read_dir;
  uint64_t writing = (reading | fs_write_file | fs_remove_file | fs_make_reg | fs_truncate) &
                     file_access(version);
  int error = 0;
  for (size_t index = 0; index < readable_count && !error; index++)
    error = allow_beneath(ruleset, readable[index], reading);
  for (size_t index = 0; index < writable_count && !error; index++)
    error = allow_beneath(ruleset, writable[index], writing);
  error = enforce(ruleset, error);
  return error ? -error : version;
}

int sandbox_can_restrict_files(void) {
  int version = 0;
  int ruleset = create_ruleset(&version, 0);
  if (ruleset >= 0) close(ruleset);
  return ruleset >= 0;
}

/// Allows the use of a device where there is one.
static void allow_device(int ruleset, const char *path, uint64_t access) {
  struct stat status;
  if (stat(path, &status) == 0) allow_beneath(ruleset, path, access);
}

int sandbox_restrict_program(const char *const readable[], size_t readable_count,
                             const char *const writable[], size_t writable_count, int network) {
  int version = 0;
  int ruleset = create_ruleset(&version, network);
  if (ruleset < 0) return ruleset + 1;
  uint64_t handled = file_access(version);
  uint64_t reading = fs_execute | fs_read_file | fs_read_dir;
  uint64_t writing = reading | fs_write_file | fs_remove_dir | fs_remove_file | fs_make_dir |
                     fs_make_reg | fs_make_sock | fs_make_fifo | fs_make_sym | fs_refer |
                     fs_truncate;
  uint64_t using = fs_read_file | fs_read_dir | fs_write_file | fs_truncate | fs_ioctl_dev;
  int error = 0;
  // What has gone meanwhile is none that it could read.
  for (size_t index = 0; index < readable_count; index++)
    allow_beneath(ruleset, readable[index], reading);
  for (size_t index = 0; index < writable_count && !error; index++)
    error = allow_beneath(ruleset, writable[index], writing & handled);
  static const char *const devices[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                        "/dev/urandom", "/dev/dri",  "/dev/kfd",  "/dev/nvidiactl",
                                        "/dev/nvidia-uvm"};
  for (size_t index = 0; index < sizeof devices / sizeof devices[0] && !error; index++)
    allow_device(ruleset, devices[index], using & handled);
  for (char number = '0'; number <= '9' && !error; number++) {
    char path[] = {'/', 'd', 'e', 'v', '/', 'n', 'v', 'i', 'd', 'i', 'a', number, 0};
    allow_device(ruleset, path, using & handled);
  }
  error = enforce(ruleset, error);
  return error ? -error : version;
}

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FORBID(call)                                                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1),                                              \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

#if defined(__x86_64__)
// The same calls under their x32 numbers.
#define FORBID_OTHER_NUMBERS                                                                      \
  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),                                          \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
#else
#define FORBID_OTHER_NUMBERS
#endif

#define LOAD_CALL                                                                                 \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),                        \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),                               \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),                                        \
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                      \
      FORBID_OTHER_NUMBERS

static int install_filter(struct sock_filter *filter, size_t count) {
  struct sock_fprog program = {.len = (unsigned short)count, .filter = filter};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
    return errno == EINVAL || errno == ENOSYS ? 0 : -errno;
  return 1;
}

// Only internet sockets.
#define FORBID_LOCAL_SOCKETS                                                                      \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5),                                          \
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),                 \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),                                         \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),                                        \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),                                       \
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

#define FORBID_WHAT_OUTLIVES_AND_SPIES                                                            \
  FORBID(SYS_ptrace), FORBID(SYS_process_vm_readv), FORBID(SYS_process_vm_writev),                \
      FORBID(425), /* io_uring_setup */                                                           \
      /* Objects that outlive the process. */                                                     \
      FORBID(SYS_shmget), FORBID(SYS_semget), FORBID(SYS_msgget), FORBID(SYS_mq_open),            \
      /* The user's keyrings. */                                                                  \
      FORBID(SYS_add_key), FORBID(SYS_request_key), FORBID(SYS_keyctl),                           \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int sandbox_restrict_network(int network) {
#if !defined(THIS_ARCHITECTURE)
  (void)network;
  return 0;
#else
  struct sock_filter open[] = {LOAD_CALL FORBID_LOCAL_SOCKETS, FORBID_WHAT_OUTLIVES_AND_SPIES};
  if (network) return install_filter(open, sizeof open / sizeof open[0]);
  struct sock_filter filter[] = {
      LOAD_CALL
      FORBID(SYS_socket),
      FORBID(SYS_connect),
      FORBID(SYS_bind),
      FORBID_WHAT_OUTLIVES_AND_SPIES,
  };
  return install_filter(filter, sizeof filter / sizeof filter[0]);
#endif
}

#if defined(THIS_ARCHITECTURE)
// The calls that reading and writing models needs: files, memory, threads and clocks; the most frequent first.
static const uint32_t allowed_calls[] = {
    SYS_read, SYS_write, SYS_futex, SYS_mmap, SYS_munmap, SYS_madvise, SYS_brk, SYS_lseek, SYS_close,
    SYS_fstat, SYS_newfstatat, SYS_openat, SYS_mprotect, SYS_mremap, SYS_clock_gettime,
    // Files.
    SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_statx, SYS_readlinkat, SYS_faccessat, 439,
    SYS_getcwd, SYS_getdents64, SYS_fcntl, SYS_dup, SYS_dup3, SYS_ftruncate, SYS_fsync, SYS_fdatasync,
    SYS_fadvise64, SYS_unlinkat, SYS_fstatfs, SYS_ppoll, SYS_pselect6,
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
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_dup2, SYS_unlink, SYS_poll,
    SYS_select, SYS_epoll_wait, SYS_epoll_create, SYS_time, SYS_arch_prctl, SYS_getrlimit,
#endif
};
#endif

int sandbox_restrict_calls(void) {
#if !defined(THIS_ARCHITECTURE)
  return 0;
#else
  // Other calls fail with EPERM, which libraries handle like a system that lacks the call.
  struct sock_filter filter[4 + 2 + 2 * sizeof allowed_calls / sizeof allowed_calls[0] + 1];
  const struct sock_filter start[] = {LOAD_CALL};
  size_t count = sizeof start / sizeof start[0];
  memcpy(filter, start, sizeof start);
  for (size_t index = 0; index < sizeof allowed_calls / sizeof allowed_calls[0]; index++) {
    filter[count++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed_calls[index], 0, 1);
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  return install_filter(filter, count);
#endif
}

#endif
