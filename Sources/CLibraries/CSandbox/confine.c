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
static rlim_t first_address_space;
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
    first_address_space = address_space.rlim_cur;
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

void sandbox_set_memory(uint64_t bytes) { (void)bytes; }

int sandbox_can_restrict_files(void) { return 0; }

int sandbox_restrict_program(const char *const readable[], size_t readable_count,
                             const char *const writable[], size_t writable_count, int network) {
  (void)readable, (void)readable_count, (void)writable, (void)writable_count, (void)network;
  return 0;
}

int sandbox_drop_capabilities(void) { return 0; }

int sandbox_drop_groups(void) { return 0; }

#else

#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
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

void sandbox_set_memory(uint64_t bytes) {
  address_space.rlim_cur = first_address_space;
  sandbox_allow_memory(bytes);
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

#endif
