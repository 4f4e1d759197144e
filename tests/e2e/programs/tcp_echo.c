/* A server of TCP with a thread for each connection and clients in threads; partial reads, half-closed connections. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "inputs.h"

static struct sockaddr_in address = {.sin_family = AF_INET};
static uint64_t served[kMaxThreads];

static void *serve(void *argument) {
  int fd = (int)(intptr_t)argument;
  char bytes[512];
  uint64_t hash = (uint64_t)fd;
  for (ssize_t n; (n = recv(fd, bytes, now() % 100 + 1, 0)) > 0;) {
    hash = mix_bytes(hash, bytes, n);
    if (send(fd, bytes, (size_t)n, MSG_NOSIGNAL) != n) break;
  }
  close(fd);
  return (void *)(uintptr_t)hash;
}

static void *listen_for(void *argument) {
  int server = (int)(intptr_t)argument;
  pthread_t handlers[kMaxThreads];
  for (int i = 0; i < threads; i++) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int fd = accept4(server, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
    served[i] = mix(mix((uint64_t)fd, from.sin_port), length);
    if (pthread_create(&handlers[i], NULL, serve, (void *)(intptr_t)fd)) exit(3);
  }
  for (int i = 0; i < threads; i++) {
    void *result;
    pthread_join(handlers[i], &result);
    served[i] = mix(served[i], (uint64_t)(uintptr_t)result);
  }
  return NULL;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  char text[300], back[300];
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address)) return 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (int i = 0; i < 10; i++) {
    int n = snprintf(text, sizeof text, "request %d of %d at %" PRIu64, i, index, now());
    if (send(fd, text, (size_t)n, 0) != n) return 2;
    for (int got = 0; got < n;) {
      ssize_t part = recv(fd, back + got, (size_t)(n - got), 0);
      if (part <= 0) return 3;
      got += (int)part;
      hash = mix(hash, (uint64_t)part);
    }
    hash = mix_bytes(hash, back, n);
  }
  shutdown(fd, SHUT_WR);
  hash = mix_result(hash, recv(fd, back, sizeof back, 0));
  close(fd);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, threads)) return 2;
  getsockname(server, (struct sockaddr *)&address, &length);
  pthread_t listener;
  if (pthread_create(&listener, NULL, listen_for, (void *)(intptr_t)server)) return 3;
  run_threads(body);
  pthread_join(listener, NULL);
  printf("port %d\n", ntohs(address.sin_port));
  for (int i = 0; i < threads; i++) printf("served %016" PRIx64 "\n", served[i]);
  print_results();
  return 0;
}
