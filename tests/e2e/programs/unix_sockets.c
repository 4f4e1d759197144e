/* Sockets of the file system and of the abstract name space: streams, packets, pairs, who is at the other end. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "inputs.h"

static uint64_t exchange(uint64_t hash, int type, const struct sockaddr_un *name, socklen_t length) {
  int server = socket(AF_UNIX, type, 0), client = socket(AF_UNIX, type, 0);
  hash = mix_result(hash, bind(server, (const struct sockaddr *)name, length));
  hash = mix_result(hash, listen(server, 2));
  hash = mix_result(hash, connect(client, (const struct sockaddr *)name, length));
  struct sockaddr_un from;
  socklen_t size = sizeof from;
  int peer = accept(server, (struct sockaddr *)&from, &size);
  hash = mix(mix_result(hash, peer), size);
  char bytes[64];
  for (int i = 0; i < 5; i++) {
    uint64_t value[2] = {now(), now()};
    hash = mix_result(hash, send(client, value, sizeof value, 0));
    hash = mix_bytes(hash, bytes, recv(peer, bytes, 5, 0));
  }
  struct ucred who;
  size = sizeof who;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) hash = mix(mix(hash, (uint64_t)who.pid), who.uid);
  size = sizeof from;
  memset(&from, 0, sizeof from);
  hash = mix_result(hash, getpeername(client, (struct sockaddr *)&from, &size));
  hash = mix_bytes(hash, &from, size < sizeof from ? size : sizeof from);
  close(peer);
  hash = mix_result(hash, send(client, bytes, 1, MSG_NOSIGNAL));
  close(client), close(server);
  return hash;
}

static uint64_t body(int index) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  snprintf(name.sun_path, sizeof name.sun_path, "%s/%d", scratch, index);
  uint64_t hash = exchange((uint64_t)index, SOCK_STREAM, &name, sizeof name);
  memset(name.sun_path, 0, sizeof name.sun_path);
  int n = snprintf(name.sun_path + 1, 50, "anaphora-%d-%d", (int)getpid(), index);
  hash = exchange(hash, SOCK_SEQPACKET, &name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
  int pair[2];
  hash = mix_result(hash, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair));
  char byte;
  hash = mix_result(hash, read(pair[0], &byte, 1));
  close(pair[0]), close(pair[1]);
  return hash;
}

int main(int argc, char **argv) { return run_in_scratch(argc, argv, body); }
