/* Works for argv[1] rounds in two threads, then waits for a line on its standard input, which a test sends when it has
 * seen enough. In a replay the line is there at once, so only the work takes time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile long shared;
static long rounds;

static void *work(void *unused) {
  for (long i = 0; i < rounds; i++) {
    if (i % 100000 == 0) shared = shared + 1;
    __asm__ volatile("" ::: "memory");
  }
  return unused;
}

int main(int argc, char **argv) {
  rounds = argc > 1 ? atol(argv[1]) : 1;
  pthread_t other;
  if (pthread_create(&other, NULL, work, NULL) != 0) return 1;
  work(NULL);
  pthread_join(other, NULL);
  char line[16];
  puts("worked");
  fflush(stdout);
  return fgets(line, sizeof line, stdin) == NULL;
}
