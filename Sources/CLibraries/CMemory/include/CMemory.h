// Memory that fails: files mapped into it that are cut short while they are read, and its end.
//
// In C, because the system tells the one by a signal, in whose handler nothing may allocate or wait: the runtime of
// Swift does both; and because Swift has no way to hear of the other.
#ifndef CMEMORY_H
#define CMEMORY_H

#include <stddef.h>
#include <stdint.h>

/// A file in memory. Reading it never ends the process: what is lost reads as zeros.
typedef struct meshpipe_mapping meshpipe_mapping;

/// Maps the first `count` bytes of a file; more than none.
///
/// The first call takes over SIGBUS; a signal that concerns no such mapping goes on to whoever had it before.
/// Returns NULL and sets errno on failure.
meshpipe_mapping *meshpipe_mapping_open(int descriptor, size_t count);

/// The first of the bytes.
const uint8_t *meshpipe_mapping_bytes(const meshpipe_mapping *mapping);

/// Whether bytes were asked for that the file could not give any more.
int meshpipe_mapping_is_damaged(const meshpipe_mapping *mapping);

/// Gives the memory back; no thread may read it any more.
void meshpipe_mapping_close(meshpipe_mapping *mapping);

/// Makes the process end with a status, and one line on standard error, when memory is at an end (glibc).
void meshpipe_end_when_out_of_memory(int status);

#endif
