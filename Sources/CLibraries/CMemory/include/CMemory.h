// Handles failures of memory: mapped files that are truncated while they are read, running out of memory, and crashes.
//
// In C, because the first and the last are reported by signals, whose handlers must neither allocate nor wait, and
// Swift's runtime does both; and because Swift cannot catch the second.
#ifndef CMEMORY_H
#define CMEMORY_H

#include <stddef.h>
#include <stdint.h>

/// A mapped file. Reading it never ends the process: lost pages read as zeros.
typedef struct meshpipe_mapping meshpipe_mapping;

/// Maps the first `count` > 0 bytes of a file.
///
/// The first call takes over SIGBUS; a signal that concerns no such mapping goes to the previous handler.
/// Returns NULL and sets errno on failure.
meshpipe_mapping *meshpipe_mapping_open(int descriptor, size_t count);

/// The first byte.
const uint8_t *meshpipe_mapping_bytes(const meshpipe_mapping *mapping);

/// Whether bytes were read that the file no longer has.
int meshpipe_mapping_is_damaged(const meshpipe_mapping *mapping);

/// Unmaps the file. No thread may read it any more.
void meshpipe_mapping_close(meshpipe_mapping *mapping);

/// Asks the processor to have some bytes in its cache soon. Reads nothing: other threads may write them meanwhile.
static inline void meshpipe_prefetch(const void *bytes, size_t count) {
  for (const char *line = (const char *)bytes; line < (const char *)bytes + count; line += 64) {
    __builtin_prefetch(line);
  }
}

/// Makes the process end with a status, and one line on standard error, when it runs out of memory (glibc).
void meshpipe_end_when_out_of_memory(int status);

/// Makes a crash (SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV) end the process with a status, and one line on
/// standard error: the signal, the noted activity, and `ending`. Call it on the main thread, before any file is mapped.
void meshpipe_give_last_word(int status, const char *ending);

/// Notes what the process is doing, from any thread; what does not fit is left out.
void meshpipe_note_activity(const char *text);

#endif
