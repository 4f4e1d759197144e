/* Threads that look up names and end while others do the same: the C library gives back what it kept for them. */
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "inputs.h"

static void *look_up(void *argument) {
  int index = (int)(intptr_t)argument;
  uint64_t hash = mix((uint64_t)index, now());
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
  for (int i = 0; i <= index % 3; i++) {
    hash = mix(hash, (uint64_t)getaddrinfo("localhost", "80", &hints, &found));
    for (struct addrinfo *a = found; a; a = a->ai_next) hash = mix_bytes(hash, a->ai_addr, a->ai_addrlen);
    if (found) freeaddrinfo(found);
    found = NULL;
    char *block = malloc(40 + (size_t)index); /* whose address shows what was allocated before */
    hash = mix(hash, (uint64_t)(uintptr_t)block);
    free(block);
  }
  return (void *)(uintptr_t)hash;
}

static uint64_t body(int index) {
  enum { kChildren = 3 };
  uint64_t hash = 0;
  for (int round = 0; round < 3; round++) {
    pthread_t children[kChildren];
    for (int i = 0; i < kChildren; i++) pthread_create(&children[i], NULL, look_up, (void *)(intptr_t)(index + i + round));
    for (int i = 0; i < kChildren; i++) {
      void *value = NULL;
      pthread_join(children[i], &value);
      hash = mix(hash, (uint64_t)(uintptr_t)value);
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
