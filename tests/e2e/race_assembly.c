// Inline assembly releases: what a thread has written before is ordered, what it writes afterwards is not. Relaxed
// updates order nothing, however often; `tally` is only updated atomically and does not race.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { kTimes = 1000 };
static long released, ordered, unordered;
static atomic_long tally;

static long exchange(long* where, long value) {
  __asm__ volatile("lock xchgq %0, %1" : "+r"(value), "+m"(*where) : : "memory");
  return value;
}

static void* writer(void* unused) {
  (void)unused;
  for (int i = 0; i < kTimes; i++) atomic_fetch_add_explicit(&tally, 1, memory_order_relaxed);
  ordered = unordered = 1;
  exchange(&released, 1);
  unordered = 2;
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  for (int i = 0; i < kTimes; i++) atomic_fetch_add_explicit(&tally, 1, memory_order_relaxed);
  while (!exchange(&released, 0)) {
  }
  return (void*)(ordered + unordered);
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, writer, NULL);
  pthread_create(&other, NULL, reader, NULL);
  void* sum = NULL;
  pthread_join(one, NULL);
  pthread_join(other, &sum);
  printf("%d %ld\n", (long)sum >= 2, atomic_load(&tally));
}
