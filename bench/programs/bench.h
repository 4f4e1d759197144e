// What the benchmark programs share: `program THREADS [SCALE]`, threads that start one body together, a barrier between
// phases. Each prints one line, "checksum X"; it is the same in every run except where the program says otherwise.
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

namespace bench {

inline int threads = 2;
inline double scale = 1.0;
inline pthread_barrier_t phase_barrier;

inline void parse(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  if (threads < 1 || threads > 1024) {
    fprintf(stderr, "usage: %s THREADS [SCALE]\n", argv[0]);
    exit(2);
  }
  if (argc > 2) scale = atof(argv[2]);
}

inline int scaled(int size) { return static_cast<int>(size * scale) > 0 ? static_cast<int>(size * scale) : 1; }

inline void barrier() { pthread_barrier_wait(&phase_barrier); }

// The part [first, last) of n items that thread `index` works on.
struct Part {
  int first, last;
};
inline Part part(int index, int n) {
  return {static_cast<int>(static_cast<int64_t>(n) * index / threads),
          static_cast<int>(static_cast<int64_t>(n) * (index + 1) / threads)};
}

inline void run(void (*body)(int index)) {
  static void (*chosen)(int);
  chosen = body;
  pthread_barrier_init(&phase_barrier, nullptr, static_cast<unsigned>(threads));
  std::vector<pthread_t> handles(static_cast<size_t>(threads));
  for (int i = 1; i < threads; i++) {
    auto entry = [](void* index) -> void* {
      barrier();
      chosen(static_cast<int>(reinterpret_cast<intptr_t>(index)));
      return nullptr;
    };
    pthread_create(&handles[static_cast<size_t>(i)], nullptr, entry, reinterpret_cast<void*>(static_cast<intptr_t>(i)));
  }
  barrier();
  chosen(0);
  for (int i = 1; i < threads; i++) pthread_join(handles[static_cast<size_t>(i)], nullptr);
}

inline uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace bench
