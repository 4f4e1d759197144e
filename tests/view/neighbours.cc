// Two threads, each with a counter of its own, in one line of 64 bytes; then both with one counter. They count until they
// have met often enough, whenever each of them gets to run.
#include <pthread.h>
#include <sched.h>

#include <thread>
#include <vector>

struct Counters {
  alignas(64) volatile long of[4];
};
struct Flag {
  alignas(64) volatile bool is_set;
};
static Counters apart_in_name_only, shared;
static Flag done[2];  // by phase: one of them has met the other often enough
static pthread_barrier_t all_here;

enum { kLeast = 300, kMeetings = 20, kMost = 200000 };

__attribute__((noinline)) static bool goes_on(int phase, int k, int met) {
  if (k % 64 == 63) sched_yield();
  return k < kLeast || (k < kMost && met < kMeetings && !done[phase].is_set);
}
__attribute__((noinline)) static void end(int phase) { done[phase].is_set = true; }

// Whether the other thread has counted since the last call.
__attribute__((noinline)) static bool has_moved(int other, long& seen) {
  long now = apart_in_name_only.of[other];
  bool moved = now != seen;
  seen = now;
  return moved;
}

__attribute__((noinline)) static void count_own(int i) {
  int met = 0;
  long seen = 0;
  for (int k = 0; goes_on(0, k, met); k++) {
    apart_in_name_only.of[i] = apart_in_name_only.of[i] + 1;
    met += has_moved(1 - i, seen);
  }
  end(0);
}

__attribute__((noinline)) static void count_shared() {
  int met = 0;
  long mine = 0;
  for (int k = 0; goes_on(1, k, met); k++) {
    long now = shared.of[0];
    met += now != mine;
    mine = now + 1;
    shared.of[0] = mine;
  }
  end(1);
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
