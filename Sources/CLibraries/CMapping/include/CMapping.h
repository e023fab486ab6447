// Files mapped into memory that may be cut short while they are read.
//
// In C, because the system tells it by a signal, in whose handler nothing may allocate or wait: the runtime of
// Swift does both.
#ifndef CMAPPING_H
#define CMAPPING_H

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

#endif
