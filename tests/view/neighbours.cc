// Two threads, each with a counter of its own, in one line of 64 bytes; then both with one counter.
#include <pthread.h>

#include <thread>
#include <vector>

struct Counters {
  alignas(64) volatile long of[4];
};
static Counters apart_in_name_only, shared;
static pthread_barrier_t all_here;

static void count_own(int i) {
  for (int k = 0; k < 300; k++) apart_in_name_only.of[i] = apart_in_name_only.of[i] + 1;
}

static void count_shared() {
  for (int k = 0; k < 300; k++) shared.of[0] = shared.of[0] + 1;
}

int main() {
  pthread_barrier_init(&all_here, nullptr, 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; i++) {
    threads.emplace_back([i] {
      pthread_barrier_wait(&all_here);
      count_own(i);
      pthread_barrier_wait(&all_here);
      count_shared();
    });
  }
  for (std::thread& thread : threads) thread.join();
}
