/* A bounded queue with two condition variables; half of the threads produce, half consume. */
#include "support.h"

enum { kCapacity = 8, kItems = 4000 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
int queue[kCapacity], head, count, produced, consumed;

static int put(int value, uint64_t *hash) {
  pthread_mutex_lock(&lock);
  while (count == kCapacity && produced < kItems) pthread_cond_wait(&not_full, &lock);
  int more = produced < kItems;
  *hash = mix(*hash, (uint64_t)count);
  if (more) {
    queue[(head + count++) % kCapacity] = value;
    produced++;
    pthread_cond_signal(&not_empty);
  }
  if (produced == kItems) {
    pthread_cond_broadcast(&not_full);
    pthread_cond_broadcast(&not_empty);
  }
  pthread_mutex_unlock(&lock);
  return more;
}

static int take(int *value) {
  pthread_mutex_lock(&lock);
  while (count == 0 && produced < kItems) pthread_cond_wait(&not_empty, &lock);
  int more = count > 0;
  if (more) {
    *value = queue[head];
    head = (head + 1) % kCapacity;
    count--;
    consumed++;
    pthread_cond_signal(&not_full);
  }
  pthread_mutex_unlock(&lock);
  return more;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  int value = 0;
  if (index % 2 == 0) {
    for (int i = 0; put(index * 100000 + i, &hash); i++) {}
  } else {
    while (take(&value)) hash = mix(hash, (uint64_t)value);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (threads < 2) threads = 2;
  run_threads(body);
  printf("%d produced, %d consumed\n", produced, consumed);
  print_results();
  return 0;
}
