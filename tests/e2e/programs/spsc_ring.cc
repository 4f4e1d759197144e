// Rings with one producer and one consumer, thread i feeding thread i+1; fill levels are part of the result.
#include <atomic>

#include "support.h"

constexpr unsigned kSlots = 16;
struct alignas(64) Ring {
  std::atomic<unsigned> head{0};
  alignas(64) std::atomic<unsigned> tail{0};
  uint64_t slots[kSlots];
};
Ring rings[kMaxThreads];

static uint64_t body(int index) {
  Ring& out = rings[index];
  Ring& in = rings[(index + threads - 1) % threads];
  uint64_t hash = static_cast<uint64_t>(index);
  int total = share_of(4000), sent = 0, received = 0;
  while (sent < total || received < total) {
    unsigned head = out.head.load(std::memory_order_relaxed);
    unsigned level = head - out.tail.load(std::memory_order_acquire);
    if (sent < total && level < kSlots) {
      out.slots[head % kSlots] = hash;
      out.head.store(head + 1, std::memory_order_release);
      sent++;
    }
    unsigned tail = in.tail.load(std::memory_order_relaxed);
    if (received < total && in.head.load(std::memory_order_acquire) != tail) {
      hash = mix(hash, in.slots[tail % kSlots] + level);
      in.tail.store(tail + 1, std::memory_order_release);
      received++;
    } else {
      sched_yield();
    }
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
}
