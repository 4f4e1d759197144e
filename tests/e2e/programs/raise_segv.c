// A crash that a thread only pretends: it sends itself the signal, and nothing comes after it.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static long shared;

static void* work(void* argument) {
  for (int i = 0; i < 20000; i++) shared = shared * 3 + (long)argument;
  if (argument == NULL) {
    printf("%ld\n", shared);
    fflush(stdout);
    raise(SIGSEGV);
    printf("not reached\n");
  }
  return NULL;
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 4;
  pthread_t thread[64];
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, work, (void*)(long)i);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  printf("not reached\n");
  return 0;
}
