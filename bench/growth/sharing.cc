// Accesses to lines that are the thread's own or everybody's, at random: what recording costs as more of them conflict.
//
//   sharing THREADS ACCESSES LINES PERCENT
//
// Of each thread's ACCESSES, PERCENT of a hundred go to one of LINES shared lines, the others to 64 lines of its own;
// every fourth writes. Prints a sum, which depends on the schedule if anything is shared.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

struct alignas(64) Line {
  uint64_t value;
};

static int threads, percent;
static long accesses;
static size_t lines;
static std::vector<Line> shared;
constexpr size_t kOwn = 64;

static void* body(void* argument) {
  uint64_t random = 0x9e3779b97f4a7c15 * (reinterpret_cast<uintptr_t>(argument) + 1), sum = 0;
  std::vector<Line> own(kOwn);
  for (long i = 0; i < accesses; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    bool is_shared = static_cast<int>((random >> 40) % 100) < percent;
    Line& line = is_shared ? shared[(random >> 8) % lines] : own[(random >> 8) % kOwn];
    if ((random & 3) == 0) line.value = sum;
    else sum += line.value + 1;
  }
  return reinterpret_cast<void*>(sum);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  threads = atoi(argv[1]);
  accesses = atol(argv[2]);
  lines = static_cast<size_t>(atol(argv[3]));
  percent = atoi(argv[4]);
  if (threads < 1 || accesses < 1 || lines < 1) return 2;
  shared.resize(lines);
  std::vector<pthread_t> handles(static_cast<size_t>(threads));
  for (size_t i = 0; i < handles.size(); i++)
    if (pthread_create(&handles[i], nullptr, body, reinterpret_cast<void*>(i))) return 2;
  uint64_t sum = 0;
  for (pthread_t handle : handles) {
    void* result;
    pthread_join(handle, &result);
    sum += reinterpret_cast<uint64_t>(result);
  }
  printf("sum %llu\n", static_cast<unsigned long long>(sum));
}
