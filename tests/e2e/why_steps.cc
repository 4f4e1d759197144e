// A value comes to the main thread, by an update of the kind that the argument says or by a load, and after it a lock.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdio>

static std::atomic<long> word{0};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long guarded;
static long settings[64];

static void* send(void*) {
  long sum = 0;
  for (long setting : settings) sum += setting;
  pthread_mutex_lock(&mutex);
  guarded = sum;
  pthread_mutex_unlock(&mutex);
  word.exchange(5);
  return nullptr;
}

static long receive(char how) {
  long seen = 7;
  switch (how) {
    case 'a': return word.fetch_add(2) & 1;  // 5 is the first odd number
    case 's': return word.exchange(0);
    case 'c': word.compare_exchange_strong(seen, 9); return seen;  // fails
    default: return word.load();
  }
}

int main(int, char** arguments) {
  for (long& setting : settings) setting = *arguments[1];
  pthread_t other;
  pthread_create(&other, nullptr, send, nullptr);
  while (!receive(*arguments[1])) sched_yield();
  pthread_mutex_lock(&mutex);
  long found = guarded;
  pthread_mutex_unlock(&mutex);
  std::printf("%ld\n", found);
  return 0;
}
