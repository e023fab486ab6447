// The few calls that start and confine a worker process and that Swift cannot make itself:
// `prctl`, `syscall` and `posix_spawn_file_actions_addclosefrom_np` are variadic, hidden behind
// _GNU_SOURCE, or take structures that only Linux headers declare.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts a program in a process group of its own with three descriptors, a fourth when `shared` is not
/// negative, and nothing else open, an empty signal mask and default signal handlers. In C because the file actions
/// that close all other descriptors differ between glibc and Darwin and are not imported into Swift. Returns 0 and
/// stores the process id, or an errno.
int sandbox_spawn(const char *path, char *const arguments[], char *const environment[],
                  int standard_input, int standard_output, int standard_error, int shared,
                  pid_t *process);

/// Makes an unnamed, zeroed file of `size` bytes in memory that no holder can truncate or extend; pages that are
/// never written take no memory. In C because `memfd_create` needs
/// _GNU_SOURCE. Returns a descriptor that is closed on exec, or a negative errno.
int sandbox_shared_memory(uint64_t size);

/// Makes a pipe (0 reads, 1 writes) that is closed on exec. In C because `pipe2` needs
/// _GNU_SOURCE. Asks for a buffer of one megabyte, to spare context switches.
int sandbox_pipe(int descriptors[2]);

/// Makes a pair of connected stream sockets that are closed on exec: a pipe whose write end can
/// be used with `sandbox_send`.
int sandbox_socket_pair(int descriptors[2]);

/// Sends without waiting and without SIGPIPE, which a library cannot ignore for the whole process. Returns the number
/// of bytes, or a negative errno (-EAGAIN when full).
ssize_t sandbox_send(int descriptor, const void *bytes, size_t count);

/// Sends a byte together with a descriptor, without waiting. In C because the macros of control messages are not
/// imported into Swift. Returns 0 or an errno.
int sandbox_send_descriptor(int socket, int descriptor);

/// Waits for a byte together with a descriptor, which is closed on exec. Returns the descriptor, or a negative errno.
int sandbox_receive_descriptor(int socket);

/// Limits of the calling process. In C because the types of RLIMIT_* differ between platforms.
struct sandbox_limits {
  uint64_t address_space; ///< bytes of virtual memory, at first; 0 for no limit
  uint64_t address_space_ceiling; ///< up to which `sandbox_allow_memory` gives more
  uint64_t private_memory; ///< bytes of memory of its own that it may write (Linux); 0 for no limit
  uint64_t cpu_seconds;   ///< seconds of processor time, after which SIGXCPU ends the process
  uint64_t file_size;     ///< bytes that one written file may have
  uint64_t open_files;    ///< number of descriptors
};

/// Sets the limits, and disables core dumps. Returns 0 or an errno.
int sandbox_set_limits(const struct sandbox_limits *limits);

/// Raises the calling process's limit of virtual memory by `bytes`, up to the hard limit (Linux).
/// In C because the call must be one that the filter of `sandbox_restrict_calls` lets through.
void sandbox_allow_memory(uint64_t bytes);

/// Sets the calling process's limit of virtual memory to what `sandbox_set_limits` set first and `bytes` more, up to the
/// hard limit (Linux).
void sandbox_set_memory(uint64_t bytes);

/// Returns the pages of a file of `sandbox_shared_memory` from `offset` on to the system (Linux).
void sandbox_free_shared_memory(int descriptor, uint64_t offset, uint64_t size);

/// The virtual memory in bytes of the calling process; 0 if unknown.
uint64_t sandbox_virtual_memory(void);

/// Gives up gaining privileges for good, and asks to be killed when the parent ends (Linux; the signal
/// comes when the *thread* that spawned the process ends). In C because `prctl` is variadic.
/// Returns 0 or an errno; ESRCH when `parent` is no longer the parent.
int sandbox_bind_to_parent(pid_t parent);

/// Confines the calling thread, and all that it starts, to reading below `readable` and writing
/// below `writable` (Landlock), without TCP and without signals to others where the kernel can.
/// In C because the three system calls have no wrappers in libc and Debian 12's header is too old.
/// Returns the version of Landlock that was used, 0 where there is none, or a negative errno.
int sandbox_restrict_files(const char *const readable[], size_t readable_count,
                           const char *const writable[], size_t writable_count);

/// Confines the calling thread, and all that it starts, to reading and executing below those of `readable` that
/// exist, to writing below `writable`, and to devices that store nothing, graphics processors among them.
/// TCP is allowed with `network`. Returns as `sandbox_restrict_files` does.
int sandbox_restrict_program(const char *const readable[], size_t readable_count,
                             const char *const writable[], size_t writable_count, int network);

/// Whether `sandbox_restrict_files` would work here; does not confine the caller.
int sandbox_can_restrict_files(void);

/// Gives up root's capabilities for good, except reading the files of all users (Linux). In C because `capset` has no
/// wrapper in libc. Returns 0 or an errno.
int sandbox_drop_capabilities(void);

/// Leaves root's supplementary groups (Linux). Returns 0 or an errno.
int sandbox_drop_groups(void);

/// Allows the system calls that reading and writing files needs, and no others: no sockets, new programs, tracing,
/// or changes of other files (seccomp). In C because a filter is an array of
/// structures with a pointer to itself. Returns 1 when it was installed, 0 where there is none,
/// or a negative errno.
int sandbox_restrict_calls(void);

/// Allows the system calls that computing with open files needs, and no others, in all threads: no files by name, no
/// sockets beyond receiving descriptors, no signals to others (seccomp). Returns as `sandbox_restrict_calls` does.
int sandbox_restrict_decoder_calls(void);

/// Allows the system calls that programs in any language need, and no others: files, memory, threads, new programs and
/// connected pairs of sockets (seccomp). Forbidden are, among others, those that change the mode, owner, times or
/// attributes of a file, which Landlock does not restrict, and what outlives the program or spies. With `network` internet
/// sockets are allowed, too; local (Unix) sockets are not.
/// Returns as `sandbox_restrict_calls` does.
int sandbox_restrict_program_calls(int network);

/// An untrusted program to run.
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
  /// The NULL-terminated command line of a program that runs another in a sandbox, or NULL. The program in the
  /// sandbox must call `sandbox_enter`. If it doesn't get that far, the program is run without.
  char *const *sandbox;
};

/// Exit statuses of a supervisor whose program was not started; above those of sysexits.
enum { sandbox_not_confined = 125, sandbox_not_started = 126 };

/// Runs a program confined, in a process group of its own, and waits for its end; then ends all that it
/// started, in any group or session. SIGTERM, and the end of `parent`, end all of it at once.
/// In C because `fork` is not available in Swift.
/// Returns the program's status, or 256 + the signal that ended it, or a status above, with the reason on
/// standard error.
int sandbox_supervise(const struct sandbox_program *program, const struct sandbox_limits *limits,
                      pid_t parent);

/// Completes the setup inside a sandbox: reports that it is in place, confines this process, and executes the
/// program. Returns a status, with the reason on standard error, only when that fails.
int sandbox_enter(const struct sandbox_program *program, const struct sandbox_limits *limits);

/// The environment of this process, NULL-terminated. In C because Swift 6 forbids the global `environ`.
char *const *sandbox_environment(void);

/// The resident memory in bytes of a process and, four generations deep, of its descendants; 0 when it does not
/// exist. In C because Darwin's libproc is in no Swift module.
int64_t sandbox_resident_memory(pid_t process);

/// The number of cores that the calling process may run on; 0 if unknown. In C because
/// `sched_getaffinity` needs _GNU_SOURCE.
int sandbox_allowed_cores(void);

/// Fills allocated and freed memory from now on with bytes that depend on `fill` (glibc): results computed from
/// uninitialized memory then differ between processes. In C because `mallopt` is in
/// none of Swift's modules.
void sandbox_fill_memory(unsigned char fill);

/// Returns free memory that malloc keeps to the system. In C because Glibc's Swift module has no
/// `malloc_trim`.
void sandbox_return_memory(void);

/// Calls `each` with the path of each library that the calling process has loaded, as the loader found it (Linux). In
/// C because `dl_iterate_phdr` needs _GNU_SOURCE.
void sandbox_loaded_libraries(void (*each)(const char *path, void *context), void *context);
