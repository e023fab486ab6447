// A process plugin that sends back what it is given. With an argument it takes no shared memory.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) frame {
  char magic[8];
  uint32_t version, header;
  uint64_t arrays;
};

static void *receive(size_t count) {
  char *bytes = calloc(1, count + 1);
  if (bytes == NULL || fread(bytes, 1, count, stdin) != count) exit(1);
  return bytes;
}

static void send_message(const struct frame *frame, const char *header, const void *arrays) {
  fwrite(frame, sizeof *frame, 1, stdout);
  fwrite(header, 1, frame->header, stdout);
  if (frame->arrays > 0) fwrite(arrays, 1, frame->arrays, stdout);
  fflush(stdout);
}

int main(int count, char **words) {
  (void)words;
  struct frame *frame = receive(sizeof *frame);
  char *header = receive(frame->header);
  int shares = count < 2 && strstr(header, "\"sharedMemory\"") != NULL;
  char hello[128];
  frame->header = (uint32_t)snprintf(
      hello, sizeof hello, "{\"kind\":\"hello\",\"protocol\":1,\"name\":\"echo\",\"version\":\"1\"%s}",
      shares ? ",\"sharedMemory\":true" : "");
  send_message(frame, hello, NULL);

  frame = receive(sizeof *frame);
  header = receive(frame->header);
  // The keys of a 'run' but for its kind are those of a 'scene', 'shared' among them.
  char *kind = strstr(header, "\"run\"");
  char *answer = malloc(frame->header + 3);
  if (kind == NULL || answer == NULL) return 1;
  frame->header = (uint32_t)sprintf(
      answer, "%.*s\"scene\"%s", (int)(kind - header), header, kind + strlen("\"run\""));
  send_message(frame, answer, receive(frame->arrays));
  return 0;
}
