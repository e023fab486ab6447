#include "CTransfer.h"

#include "CDynamicLibrary.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The used part of <curl/curl.h>, declared here so that building doesn't need its headers. The numbers are part of
// the interface that the library keeps since its version 7.17.
typedef void CURL;
struct curl_slist;

enum {
  option_long = 0,
  option_object = 10000,
  option_function = 20000,
  option_offset = 30000,

  write_data = option_object + 1,
  url = option_object + 2,
  read_data = option_object + 9,
  error_buffer = option_object + 10,
  user_agent = option_object + 18,
  http_header = option_object + 23,
  header_data = option_object + 29,
  progress_data = option_object + 57,
  seek_data = option_object + 168,
  ca_info = option_object + 65,
  write_function = option_function + 11,
  read_function = option_function + 12,
  header_function = option_function + 79,
  seek_function = option_function + 167,
  progress_function = option_function + 219,
  low_speed_limit = option_long + 19,
  low_speed_time = option_long + 20,
  no_progress = option_long + 43,
  no_body = option_long + 44,
  upload = option_long + 46,
  follow_location = option_long + 52,
  ssl_verify_peer = option_long + 64,
  connect_timeout = option_long + 78,
  ssl_verify_host = option_long + 81,
  no_signal = option_long + 99,
  protocols = option_long + 181,
  in_file_size = option_offset + 115,

  info_redirect_url = 0x100000 + 31,
  info_response_code = 0x200000 + 2,
  info_content_length = 0x600000 + 15,
  info_retry_after = 0x600000 + 57,

  global_all = 3,
  protocol_http = 1,
  protocol_https = 2,
  abort_reading = 0x10000000,

  code_ok = 0,
  code_unsupported_protocol = 1,
  code_malformed_url = 3,
  code_ssl_connect = 35,
  code_read = 26,
  code_aborted = 42,
  code_engine = 53,
  code_certificate = 58,
  code_cipher = 59,
  code_peer = 60,
  code_ca_file = 77,
  code_issuer = 83,
  code_pinned = 90,
  code_status = 91,
};

static int (*global_init)(long);
static CURL *(*easy_init)(void);
static int (*set_option)(CURL *, int, ...);
static int (*perform)(CURL *);
static int (*get_info)(CURL *, int, ...);
static void (*reset)(CURL *);
static void (*cleanup)(CURL *);
static const char *(*describe)(int);
static struct curl_slist *(*list_append)(struct curl_slist *, const char *);
static void (*list_free)(struct curl_slist *);
static char *(*version)(void);

#ifdef __APPLE__
static const char *const names[] = {"libcurl.4.dylib"};
#else
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif
static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  char words[400];
  void *library = meshpipe_need_library(names, sizeof names / sizeof *names, "libcurl4", "curl", words, sizeof words);
  if (!library) {
    snprintf(failure, sizeof failure, "needs %s, which %s", names[0], words);
    return;
  }
  const char *missing = NULL;
#define LOAD(pointer, name) \
  *(void **)&pointer = meshpipe_library_function(library, "curl_" name, &missing)
  LOAD(global_init, "global_init");
  LOAD(easy_init, "easy_init");
  LOAD(set_option, "easy_setopt");
  LOAD(perform, "easy_perform");
  LOAD(get_info, "easy_getinfo");
  LOAD(reset, "easy_reset");
  LOAD(cleanup, "easy_cleanup");
  LOAD(describe, "easy_strerror");
  LOAD(list_append, "slist_append");
  LOAD(list_free, "slist_free_all");
  LOAD(version, "version");
#undef LOAD
  if (missing) {
    snprintf(failure, sizeof failure, "needs %s, which libcurl lacks", missing);
  } else if (global_init(global_all) != code_ok) {
    snprintf(failure, sizeof failure, "needs libcurl, which can't be initialised");
  }
}

struct meshpipe_transfer {
  CURL *handle;
};

const char *meshpipe_transfer_version(char *error, size_t size) {
  pthread_once(&once, load);
  if (!failure[0]) return version();
  snprintf(error, size, "%s", failure);
  return NULL;
}

meshpipe_transfer *meshpipe_transfer_open(char *error, size_t size) {
  if (!meshpipe_transfer_version(error, size)) return NULL;
  meshpipe_transfer *transfer = calloc(1, sizeof *transfer);
  if (transfer) transfer->handle = easy_init();
  if (transfer && transfer->handle) return transfer;
  free(transfer);
  snprintf(error, size, "has not enough memory");
  return NULL;
}

void meshpipe_transfer_close(meshpipe_transfer *transfer) {
  if (!transfer) return;
  cleanup(transfer->handle);
  free(transfer);
}

// What the functions that libcurl calls share.
typedef struct {
  const meshpipe_transfer_request *request;
  meshpipe_transfer_response *response;
  FILE *file;
  int64_t left;
} state;

static size_t read_file(char *buffer, size_t unit, size_t count, void *context) {
  state *now = context;
  size_t wanted = unit * count;
  if ((int64_t)wanted > now->left) wanted = (size_t)now->left;
  if (wanted == 0) return 0;
  size_t found = fread(buffer, 1, wanted, now->file);
  now->left -= (int64_t)found;
  // A file that became shorter can't be sent under its checksum.
  return found == 0 ? abort_reading : found;
}

// Newer versions of libcurl send a file again by themselves if a connection that was kept open turns out to be cut.
static int seek_file(void *context, int64_t place, int origin) {
  state *now = context;
  if (origin != SEEK_SET || fseeko(now->file, place, SEEK_SET) != 0) return 1;
  now->left = now->request->size - place;
  return 0;
}

static size_t ignore_body(char *buffer, size_t unit, size_t count, void *context) {
  (void)buffer;
  (void)context;
  return unit * count;
}

static void take(const char *line, size_t length, const char *name, char *target, size_t size) {
  size_t start = strlen(name);
  if (length < start || strncasecmp(line, name, start) != 0) return;
  while (start < length && (line[start] == ' ' || line[start] == '\t')) start++;
  while (length > start && (unsigned char)line[length - 1] <= ' ') length--;
  size_t count = length - start < size - 1 ? length - start : size - 1;
  memcpy(target, line + start, count);
  target[count] = 0;
}

static size_t read_header(char *line, size_t unit, size_t count, void *context) {
  meshpipe_transfer_response *response = ((state *)context)->response;
  size_t length = unit * count;
  // Of a response after "100 Continue", too.
  if (length > 5 && strncmp(line, "HTTP/", 5) == 0) {
    response->digest[0] = response->checksum[0] = response->etag[0] = 0;
  }
  take(line, length, "repr-digest:", response->digest, sizeof response->digest);
  if (!response->digest[0]) take(line, length, "digest:", response->digest, sizeof response->digest);
  take(line, length, "x-checksum-sha256:", response->checksum, sizeof response->checksum);
  take(line, length, "etag:", response->etag, sizeof response->etag);
  return length;
}

static int progress(void *context, int64_t a, int64_t b, int64_t c, int64_t d) {
  (void)a;
  (void)b;
  (void)c;
  (void)d;
  const meshpipe_transfer_request *request = ((state *)context)->request;
  return request->is_cancelled && request->is_cancelled(request->context);
}

static struct curl_slist *lines(const char *text) {
  struct curl_slist *list = NULL;
  while (*text) {
    size_t length = strcspn(text, "\n");
    char *line = strndup(text, length);
    struct curl_slist *longer = line ? list_append(list, line) : NULL;
    if (longer) list = longer;
    free(line);
    text += length + (text[length] == '\n');
  }
  return list;
}

static meshpipe_transfer_result result(int code) {
  switch (code) {
  case code_ok: return meshpipe_transfer_ok;
  case code_unsupported_protocol:
  case code_malformed_url: return meshpipe_transfer_invalid;
  case code_read: return meshpipe_transfer_unreadable;
  case code_aborted: return meshpipe_transfer_cancelled;
  case code_engine:
  case code_certificate:
  case code_cipher:
  case code_peer:
  case code_ca_file:
  case code_issuer:
  case code_pinned:
  case code_status: return meshpipe_transfer_untrusted;
  default: return meshpipe_transfer_failed;
  }
}

static void configure(CURL *handle, state *now, char *words) {
  const meshpipe_transfer_request *request = now->request;
  reset(handle);
  set_option(handle, error_buffer, words);
  set_option(handle, url, request->url);
  set_option(handle, user_agent, "meshpipe");
  set_option(handle, no_signal, 1L);
  set_option(handle, protocols, (long)(protocol_http | protocol_https));
  set_option(handle, ssl_verify_peer, 1L);
  set_option(handle, ssl_verify_host, 2L);
  // Whether the token may go along is decided by the caller.
  set_option(handle, follow_location, 0L);
  if (request->authorities) set_option(handle, ca_info, request->authorities);
  set_option(handle, connect_timeout, request->connect_seconds);
  set_option(handle, low_speed_limit, 1000L);
  set_option(handle, low_speed_time, request->stall_seconds);
  set_option(handle, header_function, read_header);
  set_option(handle, header_data, now);
  set_option(handle, write_function, ignore_body);
  set_option(handle, write_data, now);
  set_option(handle, no_progress, 0L);
  set_option(handle, progress_function, progress);
  set_option(handle, progress_data, now);
  if (request->file) {
    set_option(handle, upload, 1L);
    set_option(handle, read_function, read_file);
    set_option(handle, read_data, now);
    set_option(handle, seek_function, seek_file);
    set_option(handle, seek_data, now);
    set_option(handle, in_file_size, (int64_t)request->size);
  } else {
    set_option(handle, no_body, 1L);
  }
}

meshpipe_transfer_result meshpipe_transfer_perform(meshpipe_transfer *transfer,
                                                   const meshpipe_transfer_request *request,
                                                   meshpipe_transfer_response *response,
                                                   char *error, size_t size) {
  char words[256] = "";  // at least CURL_ERROR_SIZE
  CURL *handle = transfer->handle;
  memset(response, 0, sizeof *response);
  response->length = -1;
  state now = {request, response, NULL, request->size};
  if (request->file && !(now.file = fopen(request->file, "rb"))) {
    snprintf(error, size, "can't be read");
    return meshpipe_transfer_unreadable;
  }
  configure(handle, &now, words);
  struct curl_slist *list = lines(request->headers);
  set_option(handle, http_header, list);
  int code = perform(handle);
  get_info(handle, info_response_code, &response->status);
  get_info(handle, info_content_length, &response->length);
  get_info(handle, info_retry_after, &response->retry_after);
  const char *location = NULL;
  get_info(handle, info_redirect_url, &location);
  if (location) snprintf(response->location, sizeof response->location, "%s", location);
  // A server may refuse a file, and end the connection, before it has read it.
  if (code != code_ok && code != code_aborted && response->status >= 400) code = code_ok;
  // One that accepts it before that does not have it.
  int is_unread = request->file && code == code_ok && response->status < 300 && now.left > 0;
  if (is_unread) snprintf(error, size, "the server answers %ld before it has read the file", response->status);
  if (code != code_ok) snprintf(error, size, "%s", words[0] ? words : describe(code));
  set_option(handle, error_buffer, NULL);
  set_option(handle, http_header, NULL);
  list_free(list);
  if (now.file) fclose(now.file);
  return is_unread ? meshpipe_transfer_failed : result(code);
}
