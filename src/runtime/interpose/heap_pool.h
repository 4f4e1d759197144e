// What the slots share: batches of free blocks, fresh segments, large blocks.
//
// Everything here is ordered: it happens inside a PoolSection, which is the only part of the allocator whose order
// between threads is recorded. In replay the same code runs in the recorded order, so it gives the same addresses.
// Passive, the section is a spin lock, which fork() holds so that the child finds the pool whole.
//
// Free large blocks are *extents* of whole spans, joined with their free neighbours, in bins by size.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "runtime/interpose/heap_classes.h"

namespace ana::heap {

class PoolSection {
 public:
  PoolSection();
  ~PoolSection();
  PoolSection(const PoolSection&) = delete;
  PoolSection& operator=(const PoolSection&) = delete;
};

// A block that is being allocated. `zero`: it is known to be zero.
struct Block {
  void* at;  // null: no memory
  bool zero;
};

struct Batch {
  Batch* next;
  uint32_t count;
  uint32_t reserved;
  void* blocks[kMaxBatch];
};
static_assert(sizeof(Batch) == 1024);

// Passive: makes fork() safe. Once, when the heap starts.
void pool_start();

// All below: inside a PoolSection.

// Gives `count` blocks to the pool, or takes a batch (its blocks are copied to `to`; returns how many, 0: none).
void put_batch(uint32_t size_class, void* const* blocks, uint32_t count);
uint32_t take_batch(uint32_t size_class, void** to);

// Fresh spans for a slot, or null.
char* grant_segment(uint64_t spans);

// `alignment`: a power of two.
Block large_allocate(size_t bytes, size_t alignment);
// False: not the start of a large block.
bool large_free(void* block);
// Changes the size without moving it; false: not possible.
bool large_resize(void* block, size_t bytes);

}  // namespace ana::heap
