// The heap of one slot: the free blocks that its thread keeps, and the fresh memory that it carves blocks from.
//
// Hosted, only the slot's own thread touches it, so the addresses it gives depend on that thread's calls alone, except
// where it meets the pool (refill, spill). A block that is freed stays with the thread that frees it; a thread that
// ends leaves its heap to the next one in its slot. Free blocks are listed out of band and never written: who reads
// freed memory sees what the program left there, in every run.
//
// Passive, threads may share a slot (there are more threads than slots, or one lives on while it ends): HeapLock.
//
// The dynamic loader has a second heap in each slot, with a fixed gigabyte of addresses and without the pool: it
// allocates under locks that nobody orders, so it must never wait for a turn.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "runtime/interpose/heap_pool.h"
#include "runtime/interpose/heap_region.h"
#include "runtime/interpose/runtime.h"

namespace ana::heap {

struct ClassCache {
  uint32_t count;
  uint32_t capacity;
  void** blocks;     // [0, count): free, the latest last
  char* fresh;       // [fresh, fresh_end): never used, zero
  char* fresh_end;
};

struct SlotHeap {
  ClassCache classes[kClasses + 1];
  char* segment;      // [segment, segment_end): fresh spans for the next runs
  char* segment_end;
  uint64_t next_grant;  // spans of the next segment
  uint32_t slot;
  uint32_t lock;        // passive only
  bool loader;

  Block refill(uint32_t size_class);
  Block large_of_loader(size_t bytes);
  // The class is full: makes room.
  void spill(uint32_t size_class);

 private:
  char* carve(uint32_t spans);
  bool extend(uint32_t spans);
};

// By slot; null until its thread has allocated. Read and written by the slot's thread only.
extern SlotHeap* g_heaps[kMaxSlots];
extern SlotHeap* g_loader_heaps[kMaxSlots];

SlotHeap* make_heap(uint32_t slot, bool loader);

// Nothing when hosted. Before a PoolSection, never inside one.
class HeapLock {
 public:
  explicit HeapLock(SlotHeap& heap) : heap_(heap) {
    if (!g_host && __atomic_exchange_n(&heap_.lock, 1, __ATOMIC_ACQUIRE)) wait();
  }
  ~HeapLock() {
    if (!g_host) __atomic_store_n(&heap_.lock, 0, __ATOMIC_RELEASE);  // pairs with the exchanges
  }
  HeapLock(const HeapLock&) = delete;
  HeapLock& operator=(const HeapLock&) = delete;

 private:
  void wait();
  SlotHeap& heap_;
};

// In the child of a fork(): the threads that held locks are gone. What they left is whole, since a heap changes by one
// store, or inside the pool's section.
void break_heap_locks();

inline Block allocate_small(SlotHeap& heap, uint32_t size_class) {
  ClassCache& cache = heap.classes[size_class];
  uint32_t count = cache.count;
  if (__builtin_expect(count != 0, 1)) {
    void* block = cache.blocks[count - 1];
    cache.count = count - 1;
    return {block, false};
  }
  char* fresh = cache.fresh;
  if (fresh != cache.fresh_end) {
    cache.fresh = fresh + kTable.at[size_class].bytes;
    return {fresh, true};
  }
  return heap.refill(size_class);
}

// False: the block was freed last already.
inline bool free_small(SlotHeap& heap, uint32_t size_class, void* block) {
  ClassCache& cache = heap.classes[size_class];
  if (__builtin_expect(cache.count == cache.capacity, 0)) heap.spill(size_class);
  uint32_t count = cache.count;
  if (count && cache.blocks[count - 1] == block) return false;
  cache.blocks[count] = block;
  __atomic_signal_fence(__ATOMIC_RELEASE);  // a child of fork() must not find the count without the block
  cache.count = count + 1;
  return true;
}

}  // namespace ana::heap
