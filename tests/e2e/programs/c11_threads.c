/* The threads of C11: thrd, mtx (plain, recursive, timed), cnd, tss, call_once. */
#include <threads.h>
#include <time.h>

#include "support.h"

mtx_t plain, recursive, timed;
cnd_t changed;
tss_t key;
once_flag once = ONCE_FLAG_INIT;
int turn, initialised, freed;
uint64_t chain;

static void initialise(void) { initialised++; }

static void release(void *value) {
  mtx_lock(&plain);
  freed += *(int *)value;
  chain = mix(chain, (uint64_t)freed);
  mtx_unlock(&plain);
  free(value);
}

static int work(void *argument) {
  int index = (int)(intptr_t)argument, busy = 0;
  call_once(&once, initialise);
  int *mine = (int *)malloc(sizeof *mine);
  *mine = index;
  tss_set(key, mine);
  for (int i = 0; i < share_of(2000); i++) {
    mtx_lock(&recursive);
    mtx_lock(&recursive);
    chain = mix(chain, (uint64_t)index);
    mtx_unlock(&recursive);
    mtx_unlock(&recursive);
    busy += mtx_trylock(&timed) == thrd_busy ? 1 : (mtx_unlock(&timed), 0);
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    if (mtx_timedlock(&timed, &until) == thrd_success) mtx_unlock(&timed); else busy++;
    if (i % 16 == 0) thrd_yield();
  }
  mtx_lock(&plain);
  turn++;
  cnd_broadcast(&changed);
  while (turn < threads) cnd_wait(&changed, &plain);
  mtx_unlock(&plain);
  return busy + *(int *)tss_get(key) * 10000;
}

int main(int argc, char **argv) {
  thrd_t handles[kMaxThreads];
  parse_threads(argc, argv);
  mtx_init(&plain, mtx_plain);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  mtx_init(&timed, mtx_timed);
  cnd_init(&changed);
  tss_create(&key, release);
  for (int i = 0; i < threads; i++) thrd_create(&handles[i], work, (void *)(intptr_t)i);
  for (int i = 0; i < threads; i++) {
    int value;
    thrd_join(handles[i], &value);
    printf("thread %d: %d\n", i, value);
  }
  printf("initialised %d freed %d chain %016" PRIx64 "\n", initialised, freed, chain);
  return 0;
}
