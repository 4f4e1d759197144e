// What makes timing vary in real programs (a page fault, a busy disk, a scheduler with other plans), in small.
#pragma once
#include <chrono>
#include <cstdint>
#include <thread>

// True in about one of n calls, by the clock.
inline bool one_in(unsigned n) {
  auto now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return (now * 0x9e3779b97f4a7c15ull >> 33) % n == 0;
}

// One call in n takes a while.
inline void hiccup(unsigned n, int microseconds = 150) {
  if (one_in(n)) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}
