/* recvmmsg: several datagrams at once, with names, ancillary data, a limit of time, MSG_WAITFORONE and MSG_TRUNC; and
 * recv with MSG_TRUNC, which says more than it writes. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

enum { kMessages = 5 };

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_nsec;
}

static int open_socket(struct sockaddr_in *name) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
  socklen_t length = sizeof *name;
  *name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0 || bind(fd, (struct sockaddr *)name, sizeof *name)) exit(2);
  if (getsockname(fd, (struct sockaddr *)name, &length)) exit(2);
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on);
  return fd;
}

static uint64_t look(uint64_t hash, const struct mmsghdr *message, const unsigned char *bytes, size_t size) {
  const struct sockaddr_in *from = message->msg_hdr.msg_name;
  hash = mix(mix(hash, message->msg_len), (uint64_t)message->msg_hdr.msg_flags);
  hash = mix(mix(hash, message->msg_hdr.msg_controllen), message->msg_hdr.msg_namelen);
  if (from) hash = mix(hash, from->sin_port);
  const unsigned char *control = message->msg_hdr.msg_control;
  for (size_t i = 0; control && i < message->msg_hdr.msg_controllen; i++) hash = mix(hash, control[i]);
  for (size_t i = 0; i < size; i++) hash = mix(hash, bytes[i]);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  struct sockaddr_in mine, other, froms[kMessages];
  int in = open_socket(&mine), out = open_socket(&other);
  for (int round = 0; round < 8; round++) {
    unsigned char bytes[kMessages][32] = {{0}}, controls[kMessages][64];
    struct iovec parts[kMessages][2];
    struct mmsghdr messages[kMessages] = {{{0}}};
    int count = 1 + (int)(now() % kMessages);
    for (int i = 0; i < count; i++) {
      uint64_t value[8] = {now(), now()};
      sendto(out, value, i % 2 ? 12 : 60, 0, (struct sockaddr *)&mine, sizeof mine);
    }
    for (int i = 0; i < kMessages; i++) {
      parts[i][0] = (struct iovec){bytes[i], 5};
      parts[i][1] = (struct iovec){bytes[i] + 5, sizeof bytes[i] - 5};
      messages[i].msg_hdr = (struct msghdr){.msg_iov = parts[i], .msg_iovlen = 2};
      struct msghdr *header = &messages[i].msg_hdr;
      if (round % 2) header->msg_name = &froms[i], header->msg_namelen = sizeof froms[i];
      if (round % 3) header->msg_control = controls[i], header->msg_controllen = sizeof controls[i];
    }
    struct timespec limit = {1, 0};
    int got = recvmmsg(in, messages, kMessages, round % 4 == 3 ? MSG_DONTWAIT | MSG_TRUNC : MSG_WAITFORONE, &limit);
    hash = mix(mix(hash, (uint64_t)got), (uint64_t)limit.tv_nsec);
    for (int i = 0; i < got; i++) hash = look(hash, &messages[i], bytes[i], sizeof bytes[i]);
    hash = mix(hash, (uint64_t)recvmmsg(in, messages, kMessages, MSG_DONTWAIT, NULL) + (uint64_t)errno);
  }
  uint64_t values[4] = {now(), now(), now(), now()}, guard[3] = {1, 2, 3};
  sendto(out, values, sizeof values, 0, (struct sockaddr *)&mine, sizeof mine);
  hash = mix(hash, (uint64_t)recv(in, &guard[1], 4, MSG_PEEK | MSG_TRUNC));
  hash = mix(mix(mix(hash, guard[0]), guard[1]), guard[2]);
  struct sockaddr_in small[2];
  memset(small, 7, sizeof small);
  socklen_t length = 4;
  hash = mix(hash, (uint64_t)recvfrom(in, values, sizeof values, 0, (struct sockaddr *)small, &length));
  hash = mix(mix(hash, length), small[0].sin_addr.s_addr);
  close(in), close(out);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
