/* Options of sockets that differ from run to run, names of network interfaces, hosts and services. */
#define _GNU_SOURCE
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "inputs.h"

static uint64_t names(uint64_t hash) {
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all) == 0) {
    for (struct ifaddrs *i = all; i; i = i->ifa_next) hash = mix(mix_text(hash, i->ifa_name), i->ifa_flags);
    freeifaddrs(all);
  }
  hash = mix(hash, if_nametoindex("lo"));
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
  int result = getaddrinfo("localhost", "80", &hints, &found);
  hash = mix(hash, (uint64_t)result);
  for (struct addrinfo *i = found; i; i = i->ai_next) hash = mix_bytes(hash, i->ai_addr, i->ai_addrlen);
  if (found) freeaddrinfo(found);
  char name[256] = "";
  gethostname(name, sizeof name);
  return mix_text(hash, name);
}

static uint64_t body(int index) {
  uint64_t hash = names((uint64_t)index);
  int fd = socket(AF_INET, SOCK_STREAM, 0), value = (int)(now() % 3000 + 5000);
  socklen_t length = sizeof value;
  hash = mix_result(hash, setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, sizeof value));
  hash = mix_result(hash, getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, &length));
  hash = mix(mix(hash, (uint64_t)value), length);
  struct linger linger = {1, 2};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  linger = (struct linger){0, 0};
  length = sizeof linger;
  hash = mix_result(hash, getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length));
  hash = mix(hash, (uint64_t)linger.l_linger);
  struct tcp_info info;
  length = sizeof info;
  hash = mix_result(hash, getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length));
  hash = mix(mix(hash, info.tcpi_rto), length);
  struct ifreq request = {0};
  strcpy(request.ifr_name, "lo");
  hash = mix_result(hash, ioctl(fd, SIOCGIFMTU, &request));
  hash = mix(hash, (uint64_t)request.ifr_mtu);
  struct sockaddr_in mine = {.sin_family = AF_INET};
  bind(fd, (struct sockaddr *)&mine, sizeof mine);
  char small[6] = "abcde";
  length = 3;
  hash = mix_result(hash, getsockname(fd, (struct sockaddr *)small, &length));
  hash = mix(mix_bytes(hash, small, sizeof small), length);
  close(fd);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
