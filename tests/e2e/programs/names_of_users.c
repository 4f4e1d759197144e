/* Names of users, groups, hosts, services and protocols, the reentrant forms and those with a common buffer. */
#define _GNU_SOURCE
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <unistd.h>

#include "support.h"

static volatile int racing;

static uint64_t text(uint64_t hash, const char *at) {
  for (; at && *at; at++) hash = mix(hash, (uint64_t)*at);
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  char room[4096];
  for (int i = 0, n = share_of(24); i < n; i++) {
    struct passwd user, *found;
    if (getpwuid_r(getuid(), &user, room, sizeof room, &found) == 0 && found) hash = text(hash, user.pw_dir);
    struct group group, *other;
    if (getgrgid_r(getgid(), &group, room, sizeof room, &other) == 0 && other) hash = text(hash, group.gr_name);
    struct addrinfo want = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *list;
    if (getaddrinfo("127.0.0.1", index % 2 ? "80" : "443", &want, &list) == 0) {
      char host[64], service[32];
      getnameinfo(list->ai_addr, list->ai_addrlen, host, sizeof host, service, sizeof service,
                  NI_NUMERICHOST | NI_NUMERICSERV);
      hash = text(text(hash, host), service);
      freeaddrinfo(list);
    }
    struct protoent *protocol = getprotobyname("tcp");
    hash = mix(hash, protocol ? (uint64_t)protocol->p_proto : 0);
    racing = racing * 3 + index;
    hash = mix(hash, (uint64_t)racing);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  char host[256];
  gethostname(host, sizeof host);
  struct passwd *user = getpwnam("root");
  printf("%s %s %d\n", host, user ? user->pw_shell : "?", racing);
  return 0;
}
