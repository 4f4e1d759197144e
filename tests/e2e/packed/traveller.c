// Threads that race, a library, a file that is read and one that is mapped: traveller FILE. Everything it needs is
// gone, or another, when it is replayed.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kThreads = 3, kRounds = 20000 };

void say(long thread, unsigned long value);

static volatile unsigned long shared = 1;
static const unsigned char* mapped;

static void* race(void* argument) {
  unsigned long own = 0;
  for (int i = 0; i < kRounds; i++) {
    own = own * 31 + shared + mapped[i % 16];
    shared = own;
  }
  say((long)argument, own);
  return NULL;
}

int main(int argc, char** argv) {
  int fd = open(argc > 1 ? argv[1] : "", O_RDONLY);
  char text[16];
  if (fd < 0 || read(fd, text, sizeof text) != sizeof text) return 2;
  mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return 2;
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  printf("%.*s reads %.*s\n", (int)(length < 0 ? 0 : length), program, (int)sizeof text, text);
  pthread_t all[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&all[i], NULL, race, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(all[i], NULL);
  return 42;
}
