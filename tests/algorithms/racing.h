// What tests with threads that really race have in common: a host, and a judge that needs no total order, because every
// value that was read names the write that it came from.
#pragma once
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "sim/deduce_war.h"

namespace ana::oracle {

using algorithms::Edge;
using algorithms::Event;

struct HeapHost {
  static constexpr bool kShared = true;
  void* allocate(size_t bytes) {
    used += bytes;
    return std::malloc(bytes);
  }
  void release(void* block, size_t bytes) {
    used -= bytes;
    std::free(block);
  }
  void pause(int& turns) {
    if (++turns > 100) std::this_thread::yield();
  }
  std::atomic<size_t> used{0};
};

class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

struct Done {
  uint32_t granule;
  bool wrote;
  Event value;  // read; for a write, what it replaced
  std::vector<Edge> edges;
};

struct DoneSink {
  std::vector<Edge>& edges;
  void edge(Edge e) { edges.push_back(e); }
};

// How many pairs the edges and program order leave open: a write and the one it replaced, a read and its write, a read
// and the next write. All ones if they are cyclic.
uint64_t judge(const std::vector<std::vector<Done>>& done, const std::vector<sim::Dependence>& more = {});

}  // namespace ana::oracle
