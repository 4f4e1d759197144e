/* main ends by pthread_exit; the threads go on, and the last one ends the program. */
#include <stdatomic.h>

#include "support.h"

_Atomic int left;
int plain;

static void *work(void *argument) {
  int index = (int)(intptr_t)argument;
  for (int i = 0; i < share_of(20000); i++) {
    plain += index + 1;
    yield_every(i, 128);
  }
  int place = atomic_fetch_sub(&left, 1);
  printf("thread %d ends, %d left, plain %d\n", index, place - 1, plain);
  return NULL;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  left = threads;
  for (int i = 0; i < threads; i++) {
    pthread_t handle;
    pthread_create(&handle, NULL, work, (void *)(intptr_t)i);
    pthread_detach(handle);
  }
  printf("main leaves\n");
  pthread_exit(NULL);
}
