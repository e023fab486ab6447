// The few calls that start and confine a worker process and that Swift cannot make itself:
// `prctl`, `syscall` and `posix_spawn_file_actions_addclosefrom_np` are variadic, hidden behind
// _GNU_SOURCE, or take structures that only Linux headers declare.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts a program in a process group of its own with three descriptors, a fourth when `shared` is none below
/// zero, and nothing else open, an empty signal mask and default signal handlers. In C because the file actions that close
/// all other descriptors differ between glibc and Darwin and are not imported into Swift.
/// Returns 0 and stores the process id, or an errno.
int sandbox_spawn(const char *path, char *const arguments[], char *const environment[],
                  int standard_input, int standard_output, int standard_error, int shared,
                  pid_t *process);

/// Makes a file of so many bytes in memory, all zeros, that has no name and can be neither cut nor lengthened,
/// whoever gets hold of it; bytes that nobody writes take no memory. In C because `memfd_create` needs
/// _GNU_SOURCE. Returns a descriptor that is closed on exec, or a negative errno.
int sandbox_shared_memory(uint64_t size);

/// Makes a pipe (0 reads, 1 writes) that is closed on exec. In C because `pipe2` needs
/// _GNU_SOURCE. Asks for a buffer of one megabyte, to spare context switches.
int sandbox_pipe(int descriptors[2]);

/// Makes a pair of connected stream sockets that are closed on exec: a pipe whose write end can
/// be used with `sandbox_send`.
int sandbox_socket_pair(int descriptors[2]);

/// Sends without waiting and without SIGPIPE, which a library must not have to ignore for the
/// whole process. Returns the number of bytes, or a negative errno (-EAGAIN when full).
ssize_t sandbox_send(int descriptor, const void *bytes, size_t count);

/// Ceilings of the calling process. In C because the types of RLIMIT_* differ between platforms.
struct sandbox_limits {
  uint64_t address_space; ///< bytes of virtual memory, at first; 0 for no limit
  uint64_t address_space_ceiling; ///< up to which `sandbox_allow_memory` gives more
  uint64_t private_memory; ///< bytes of memory of its own that it may write (Linux); 0 for no limit
  uint64_t cpu_seconds;   ///< seconds of processor time, after which SIGXCPU ends the process
  uint64_t file_size;     ///< bytes that one written file may have
  uint64_t open_files;    ///< number of descriptors
};

/// Sets the ceilings, and none for core dumps but zero. Returns 0 or an errno.
int sandbox_set_limits(const struct sandbox_limits *limits);

/// Lets the calling process, which has a limit of virtual memory, take so many bytes more, up to the ceiling (Linux).
/// In C because the call must be one that the filter of `sandbox_restrict_calls` lets through.
void sandbox_allow_memory(uint64_t bytes);

/// The virtual memory in bytes of the calling process; 0 when the system does not tell.
uint64_t sandbox_virtual_memory(void);

/// Gives up for good the gaining of privileges, and asks to be killed when the parent ends (Linux; the signal
/// comes when the *thread* that spawned the process ends). In C because `prctl` is variadic.
/// Returns 0 or an errno; ESRCH when `parent` is no longer the parent.
int sandbox_bind_to_parent(pid_t parent);

/// Confines the calling thread, and all that it starts, to reading beneath `readable` and writing
/// beneath `writable` (Landlock), without TCP and without signals to others where the kernel can.
/// In C because the three system calls have no wrappers in libc and Debian 12's header is too old.
/// Returns the version of Landlock that was used, 0 where there is none, or a negative errno.
int sandbox_restrict_files(const char *const readable[], size_t readable_count,
                           const char *const writable[], size_t writable_count);

/// Confines the calling thread, and all that it starts, to reading and executing beneath `readable`, as far as that
/// is there, to writing beneath `writable`, and to devices that keep nothing; graphics processors are among them.
/// TCP is allowed with `network`. Returns as `sandbox_restrict_files` does.
int sandbox_restrict_program(const char *const readable[], size_t readable_count,
                             const char *const writable[], size_t writable_count, int network);

/// Whether `sandbox_restrict_files` would find something to confine with; the caller stays as it is.
int sandbox_can_restrict_files(void);

/// Gives up for good what the administrator may and others may not, but for reading the files of all users
/// (Linux). In C because `capset` has no wrapper in libc. Returns 0 or an errno.
int sandbox_drop_capabilities(void);

/// Leaves the groups that the administrator is in besides the first (Linux). Returns 0 or an errno.
int sandbox_drop_groups(void);

/// Allows what reading and writing files takes and no other call: neither sockets nor new programs nor tracing
/// nor changes of what is written elsewhere (seccomp). In C because a filter is an array of
/// structures with a pointer to itself. Returns 1 when it was installed, 0 where there is none,
/// or a negative errno.
int sandbox_restrict_calls(void);

/// Forbids sockets but for connected pairs, tracing, io_uring, keyrings, and memory and messages that outlive their
/// maker (seccomp); new programs are allowed. With `network` sockets of the internet are allowed, too; those
/// by which programs of this machine talk are not.
/// Returns as `sandbox_restrict_calls` does.
int sandbox_restrict_network(int network);

/// A program that is run on behalf of someone who does not trust it.
struct sandbox_program {
  const char *path;              ///< what is executed
  char *const *arguments;        ///< with the program's name, ended by NULL
  char *const *environment;      ///< ended by NULL
  const char *folder;            ///< its working folder
  const char *const *readable;   ///< what it may read and execute
  size_t readable_count;
  const char *const *writable;   ///< what it may write, too
  size_t writable_count;
  int network;                   ///< whether it may use the network
  /// The command line of a program that puts a sandbox round another, ended by NULL, or NULL. What it runs in there
  /// is to call `sandbox_enter`. Where it does not come to that, the program is run without.
  char *const *sandbox;
};

/// Statuses of a supervisor whose program was not started; above those that sysexits uses.
enum { sandbox_not_confined = 125, sandbox_not_started = 126 };

/// Runs a program confined, in a process group of its own, and waits for its end; then ends all that it has
/// started and left, in whatever group or session. SIGTERM, and the end of `parent`, end all of it at once.
/// In C because `fork` is not available in Swift.
/// Returns the program's status, or 256 + the signal that ended it, or a status above, with the reason on
/// standard error.
int sandbox_supervise(const struct sandbox_program *program, const struct sandbox_limits *limits,
                      pid_t parent);

/// Does inside of a sandbox what is left: says that it stands, confines this process, and becomes the program.
/// Returns a status, with the reason on standard error, only when that fails.
int sandbox_enter(const struct sandbox_program *program, const struct sandbox_limits *limits);

/// The environment of this process, ended by NULL. In C because Swift 6 forbids the global `environ`.
char *const *sandbox_environment(void);

/// The resident memory in bytes of a process and, four generations deep, of those it has started; 0 when
/// there is none. In C because Darwin's libproc is in none of Swift's modules.
int64_t sandbox_resident_memory(pid_t process);

/// The number of cores that the calling process may run on; 0 when the system does not tell. In C because
/// `sched_getaffinity` needs _GNU_SOURCE.
int sandbox_allowed_cores(void);

/// Fills memory that malloc gives from now on, and what is freed, with bytes that follow from `fill` (glibc): what a
/// program computes from memory that it never set differs from one process to the next. In C because `mallopt` is in
/// none of Swift's modules.
void sandbox_fill_memory(unsigned char fill);

/// Gives memory that malloc keeps for later back to the system. In C because Glibc's Swift module has no
/// `malloc_trim`.
void sandbox_return_memory(void);

/// Calls `each` with the path of each library that the calling process has loaded (Linux), as the loader found it. In
/// C because `dl_iterate_phdr` needs _GNU_SOURCE.
void sandbox_loaded_libraries(void (*each)(const char *path, void *context), void *context);
