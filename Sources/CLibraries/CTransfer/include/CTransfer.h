#pragma once
#include <stddef.h>
#include <stdint.h>

// One request of HTTP at a time with libcurl, which is opened with the first. TLS certificates are always verified.

typedef struct meshpipe_transfer meshpipe_transfer;

typedef enum {
  meshpipe_transfer_ok,           // there is a response, whatever its status
  meshpipe_transfer_unavailable,  // libcurl is not installed
  meshpipe_transfer_invalid,      // the URL or the protocol can't be used
  meshpipe_transfer_untrusted,    // the certificate or the connection is not secure
  meshpipe_transfer_unreadable,   // the file can't be read, or has another size
  meshpipe_transfer_cancelled,
  meshpipe_transfer_failed,       // no connection, cut, too slow, or accepted unread: a retry may succeed
} meshpipe_transfer_result;

typedef struct {
  const char *url;
  const char *headers;         // lines "Name: value"
  const char *file;            // sent with PUT; NULL for HEAD
  int64_t size;                // of the file, in bytes
  const char *authorities;     // a file of certificates to trust instead of the system's; NULL for those
  long connect_seconds;
  long stall_seconds;          // less than 1000 bytes per second for so long ends the transfer
  int (*is_cancelled)(void *context);
  void *context;
} meshpipe_transfer_request;

typedef struct {
  long status;
  int64_t length;              // Content-Length; -1 if there is none
  int64_t retry_after;         // seconds; 0 if the server does not say
  char location[2048];         // the absolute URL that a redirect leads to
  char digest[512];            // Repr-Digest or Digest
  char checksum[128];          // X-Checksum-Sha256
  char etag[256];
} meshpipe_transfer_response;

// Keeps connections open between requests; NULL with a message in `error` if libcurl can't be used.
meshpipe_transfer *meshpipe_transfer_open(char *error, size_t size);
void meshpipe_transfer_close(meshpipe_transfer *transfer);

meshpipe_transfer_result meshpipe_transfer_perform(meshpipe_transfer *transfer,
                                                   const meshpipe_transfer_request *request,
                                                   meshpipe_transfer_response *response,
                                                   char *error, size_t size);

// The version of libcurl, such as "libcurl/7.88.1 OpenSSL/3.0.15"; NULL with a message if it is not installed.
const char *meshpipe_transfer_version(char *error, size_t size);
