#pragma once
#include <nettle/sha2.h>
#include <nettle/version.h>

/// The hash of all added bytes, with which version 4 no longer takes its length.
static inline void meshpipe_sha256_digest(struct sha256_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(context, digest);
#else
  sha256_digest(context, SHA256_DIGEST_SIZE, digest);
#endif
}
