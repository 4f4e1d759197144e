// Something to kill: talkers THREADS BYTES. Each thread prints lines "thread number value" for ever, by write(2), so
// that what is seen of it is what it has done. The values depend on random input, BYTES of it for each line, and on
// memory that all threads write without locks. The main thread says nothing after its start, and a quiet thread never
// does: both only write memory that the others read.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { kWords = 64, kRounds = 200, kMaxThreads = 16, kMaxBytes = 65536 };

static volatile uint64_t words[kWords];
static volatile int begun;
static size_t bytes_each;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
  return x ^ (x >> 29);
}

static void* talk(void* argument) {
  long self = (long)argument;
  unsigned char* input = malloc(kMaxBytes);
  uint64_t value = 0;
  while (!begun) sched_yield();
  for (long n = 0;; n++) {
    if (getrandom(input, bytes_each, 0) < 0) abort();
    for (size_t i = 0; i < bytes_each; i++) value = value * 31 + input[i];
    for (int i = 0; i < kRounds; i++) {
      value = mix(value + words[value % kWords]);
      words[(value >> 8) % kWords] = value;
    }
    pthread_mutex_lock(&lock);
    total += value;
    value ^= total;
    pthread_mutex_unlock(&lock);
    char line[64];
    int length = snprintf(line, sizeof line, "%ld %ld %016llx\n", self, n, (unsigned long long)value);
    if (write(1, line, (size_t)length) != length) abort();
  }
}

static void* be_quiet(void* argument) {
  for (uint64_t value = 1;; value = mix(value)) {
    if (value % 1024 == 0) words[(value >> 20) % kWords] = value;
  }
  return argument;
}

int main(int argc, char** argv) {
  long threads = argc > 2 ? atol(argv[1]) : 0;
  bytes_each = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  if (threads < 1 || threads > kMaxThreads || bytes_each > kMaxBytes) return 2;
  pthread_t all[kMaxThreads], quiet;
  for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, talk, (void*)i);
  pthread_create(&quiet, NULL, be_quiet, NULL);
  for (int i = 0; i < kWords; i++) words[i] = mix((uint64_t)i);
  begun = 1;
  for (long i = 0; i < threads; i++) pthread_join(all[i], NULL);
  return 0;
}
