/* main and the threads leave at the same moment. Whoever is last runs the handlers of atexit and writes what is buffered:
   which one that is, the C library decides. */
#include <sched.h>
#include <stdatomic.h>

#include "support.h"

_Atomic int ready;
int last = -1;
static __thread int index_of_mine = -1;

static void say(void) { printf("thread %d was last, %d wrote last\n", index_of_mine, last); }

static void meet(int index) {
  index_of_mine = index;
  atomic_fetch_add(&ready, 1);
  while (atomic_load(&ready) < threads + 1) sched_yield();
  last = index;
}

static void *work(void *argument) {
  meet((int)(intptr_t)argument);
  return NULL;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  atexit(say);
  for (int i = 0; i < threads; i++) {
    pthread_t handle;
    pthread_create(&handle, NULL, work, (void *)(intptr_t)i);
    pthread_detach(handle);
  }
  meet(threads);
  pthread_exit(NULL);
}
