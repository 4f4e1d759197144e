/* Datagrams of UDP over IPv4 and, if there is one, IPv6: connected and not, peeked at, with limits of time, and a port
 * where nobody listens. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "inputs.h"

static uint64_t family(uint64_t hash, int domain) {
  struct sockaddr_storage name = {0}, from;
  socklen_t length = domain == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6), size = sizeof from;
  name.ss_family = (sa_family_t)domain;
  if (domain == AF_INET) ((struct sockaddr_in *)&name)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (domain == AF_INET6) ((struct sockaddr_in6 *)&name)->sin6_addr = in6addr_loopback;
  int in = socket(domain, SOCK_DGRAM, 0), out = socket(domain, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (in < 0 || bind(in, (struct sockaddr *)&name, length)) return mix(hash, (uint64_t)errno);
  getsockname(in, (struct sockaddr *)&name, &length);
  char bytes[100];
  for (int i = 0; i < 5; i++) {
    uint64_t value[3] = {now(), now(), now()};
    hash = mix_result(hash, sendto(out, value, now() % sizeof value, 0, (struct sockaddr *)&name, length));
    hash = mix_result(hash, recv(in, bytes, 4, MSG_PEEK));
    size = sizeof from;
    hash = mix_bytes(hash, bytes, recvfrom(in, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size));
    hash = mix_bytes(hash, &from, size);
  }
  struct timeval limit = {0, 1000};
  setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  hash = mix_result(hash, recv(in, bytes, sizeof bytes, 0));
  hash = mix_result(hash, connect(out, (struct sockaddr *)&name, length));
  close(in);
  hash = mix_result(hash, send(out, bytes, 1, 0));
  hash = mix_result(hash, send(out, bytes, 1, 0));
  hash = mix_result(hash, recv(out, bytes, 1, 0));
  close(out);
  return hash;
}

static uint64_t body(int index) { return family(family((uint64_t)index, AF_INET), AF_INET6); }

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
