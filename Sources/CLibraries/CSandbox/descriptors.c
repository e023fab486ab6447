#define _GNU_SOURCE 1
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__linux__)
#define SEND_FLAGS (MSG_NOSIGNAL | MSG_DONTWAIT)
#define RECEIVE_FLAGS MSG_CMSG_CLOEXEC
#else
#define SEND_FLAGS MSG_DONTWAIT
#define RECEIVE_FLAGS 0
#endif

// Room for one descriptor, aligned as the header that comes first.
union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

int sandbox_send_descriptor(int socket, int descriptor) {
  char mark = 0;
  struct iovec content = {.iov_base = &mark, .iov_len = 1};
  union control control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent;
  do sent = sendmsg(socket, &message, SEND_FLAGS);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

int sandbox_receive_descriptor(int socket) {
  char mark = 0;
  struct iovec content = {.iov_base = &mark, .iov_len = 1};
  union control control;
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t received;
  do received = recvmsg(socket, &message, RECEIVE_FLAGS);
  while (received < 0 && errno == EINTR);
  if (received < 0) return -errno;
  struct cmsghdr *header = received == 1 ? CMSG_FIRSTHDR(&message) : NULL;
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int)))
    return -EBADMSG;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
#if !defined(__linux__)
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
  return descriptor;
}
