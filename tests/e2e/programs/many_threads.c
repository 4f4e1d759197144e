/* Two thousand short threads, a handful at a time. */
#include "support.h"

enum { kTotal = 2000 };
int counter;
uint64_t chain;

static void *work(void *argument) {
  int index = (int)(intptr_t)argument;
  for (int i = 0; i < 20; i++) counter++;
  chain = mix(chain, (uint64_t)index);
  return (void *)(intptr_t)counter;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_t handles[kMaxThreads];
  uint64_t hash = 0;
  for (int done = 0; done < kTotal; done += threads) {
    for (int i = 0; i < threads; i++) pthread_create(&handles[i], NULL, work, (void *)(intptr_t)(done + i));
    for (int i = 0; i < threads; i++) {
      void *value;
      pthread_join(handles[i], &value);
      hash = mix(hash, (uint64_t)(intptr_t)value);
    }
  }
  printf("counter %d chain %016" PRIx64 " values %016" PRIx64 "\n", counter, chain, hash);
  return 0;
}
