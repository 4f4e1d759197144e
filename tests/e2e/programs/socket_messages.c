/* sendmsg, recvmsg and sendmmsg: parts, addresses, descriptors and credentials, between threads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static int pairs[kMaxThreads][2];

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_nsec;
}

static void send_with_descriptor(int to, uint64_t value) {
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec parts[2] = {{&value, 3}, {(char *)&value + 3, 5}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  int fd = open("/dev/null", O_RDONLY);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  sendmsg(to, &message, 0);
  close(fd);
}

static uint64_t receive(int from) {
  uint64_t value = 0, hash = 7;
  char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
  struct sockaddr_un name;
  struct iovec parts[2] = {{&value, 5}, {(char *)&value + 5, 100}};
  char rest[100];
  parts[1].iov_base = rest;
  struct msghdr message = {&name, sizeof name, parts, 2, control, sizeof control, 0};
  ssize_t n = recvmsg(from, &message, 0);
  hash = mix(mix(mix(hash, (uint64_t)n), value), message.msg_controllen);
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    hash = mix(hash, (uint64_t)c->cmsg_type);
    if (c->cmsg_type == SCM_RIGHTS) {
      int fd;
      memcpy(&fd, CMSG_DATA(c), sizeof fd);
      hash = mix(hash, (uint64_t)fd);
      close(fd);
    } else if (c->cmsg_type == SCM_CREDENTIALS) {
      struct ucred who;
      memcpy(&who, CMSG_DATA(c), sizeof who);
      hash = mix(hash, (uint64_t)who.pid);
    }
  }
  return mix(hash, (uint64_t)message.msg_flags);
}

static uint64_t body(int index) {
  uint64_t hash = 1;
  int *mine = pairs[index], *next = pairs[(index + 1) % threads];
  for (int i = 0; i < 10; i++) {
    send_with_descriptor(next[0], now());
    hash = mix(hash, receive(mine[1]));
  }
  uint64_t values[3] = {now(), now(), now()};
  struct iovec parts[3] = {{&values[0], 8}, {&values[1], 4}, {&values[2], 2}};
  struct mmsghdr messages[3] = {0};
  for (int i = 0; i < 3; i++) messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
  int sent = sendmmsg(next[0], messages, 3, 0);
  for (int i = 0; i < sent; i++) hash = mix(hash, messages[i].msg_len);
  for (int i = 0; i < 3; i++) hash = mix(hash, receive(mine[1]));
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < threads; i++) {
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pairs[i]);
    int on = 1;
    if (i % 2) setsockopt(pairs[i][1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  }
  run_threads(body);
  print_results();
  return 0;
}
