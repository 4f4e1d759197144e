#include "runtime/interpose/heap_slot.h"

#include <sched.h>
#include <string.h>

namespace ana::heap {

SlotHeap* g_heaps[kMaxSlots];
SlotHeap* g_loader_heaps[kMaxSlots];

namespace {

constexpr uint64_t kMaxGrant = (1 << 20) >> kSpanShift;

// Behind the start of a page: there lie the hottest lines of the thread's control block too, and two lines whose
// addresses differ only in high bits slow each other down (malloc and free of the first class took twice as long).
constexpr uint64_t kHeapOffset = 1024;

constexpr uint64_t info_bytes() {
  uint64_t bytes = kHeapOffset + sizeof(SlotHeap);
  for (uint32_t c = 1; c <= kClasses; ++c) bytes += kTable.at[c].capacity * sizeof(void*);
  return bytes;
}
static_assert(info_bytes() <= kSlotInfoBytes);

// From a batch out of the pool, for the heap of a program.
uint32_t take_from_pool(SlotHeap& heap, uint32_t size_class) {
  ClassCache& cache = heap.classes[size_class];
  uint32_t taken = take_batch(size_class, cache.blocks);
  cache.count = taken;
  return taken;
}

}  // namespace

SlotHeap* make_heap(uint32_t slot, bool loader) {
  char* info = slot_info(slot, loader);
  if (!info) return nullptr;
  SlotHeap* heap = reinterpret_cast<SlotHeap*>(info + kHeapOffset);
  heap->slot = slot;
  heap->loader = loader;
  heap->next_grant = 1;
  void** blocks = reinterpret_cast<void**>(heap + 1);
  for (uint32_t c = 1; c <= kClasses; ++c) {
    heap->classes[c].blocks = blocks;
    heap->classes[c].capacity = kTable.at[c].capacity;
    blocks += kTable.at[c].capacity;
  }
  if (loader) {
    heap->segment = heap->segment_end = g_region.base + kLoaderOffset + slot * kLoaderStride;
  }
  (loader ? g_loader_heaps : g_heaps)[slot] = heap;
  return heap;
}

void HeapLock::wait() {
  for (uint32_t spins = 1; __atomic_exchange_n(&heap_.lock, 1, __ATOMIC_ACQUIRE); ++spins) {
    if (spins % 64 == 0) {
      sched_yield();
    } else {
      __builtin_ia32_pause();
    }
  }
}

void break_heap_locks() {
  for (SlotHeap* heap : g_heaps) {
    if (heap) heap->lock = 0;
  }
}

// More fresh spans behind the segment, or a new segment; what is left of the old one was never touched and stays so.
bool SlotHeap::extend(uint32_t spans) {
  uint64_t grant = next_grant > spans ? next_grant : spans;
  if (next_grant < kMaxGrant) next_grant *= 2;
  if (loader) {
    uint64_t offset = static_cast<uint64_t>(segment_end - (g_region.base + kLoaderOffset + slot * kLoaderStride));
    if (!map_loader(slot, offset, grant << kSpanShift)) return false;
    segment_end += grant << kSpanShift;
    return true;
  }
  char* at = grant_segment(grant);
  if (!at) return false;
  if (at != segment_end) segment = at;
  segment_end = at + (grant << kSpanShift);
  return true;
}

char* SlotHeap::carve(uint32_t spans) {
  uint64_t bytes = static_cast<uint64_t>(spans) << kSpanShift;
  if (static_cast<uint64_t>(segment_end - segment) < bytes && !extend(spans)) return nullptr;
  char* run = segment;
  segment += bytes;
  return run;
}

Block SlotHeap::refill(uint32_t size_class) {
  ClassCache& cache = classes[size_class];
  const SizeClass& it = kTable.at[size_class];
  char* run;
  if (loader) {
    run = carve(it.run_spans);
  } else {
    // Whether the pool has blocks depends on other threads, so even to look is an ordered event.
    PoolSection section;
    if (take_from_pool(*this, size_class)) return {cache.blocks[--cache.count], false};
    run = carve(it.run_spans);
  }
  if (!run) return {};
  uint64_t index = span_index(run);
  for (uint32_t i = 0; i < it.run_spans; ++i) {
    g_region.spans[index + i] = {static_cast<uint8_t>(size_class), static_cast<uint8_t>(i), 0, 0};
  }
  cache.fresh = run + it.bytes;
  cache.fresh_end = run + static_cast<uint64_t>(it.run_blocks) * it.bytes;
  return {run, true};
}

// The loader asks for blocks of this size only for the TLS of huge libraries, so freed ones are not used again.
Block SlotHeap::large_of_loader(size_t bytes) {
  uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  uint64_t spans = (bytes + kSpanBytes - 1) >> kSpanShift;
  if (spans > (kLoaderStride >> kSpanShift)) return {};
  char* run = carve(static_cast<uint32_t>(spans));
  if (run) g_region.spans[span_index(run)] = {kLarge, 0, 0, static_cast<uint32_t>(pages)};
  return {run, true};
}

void SlotHeap::spill(uint32_t size_class) {
  ClassCache& cache = classes[size_class];
  uint32_t batch = kTable.at[size_class].batch;
  if (loader) {
    --cache.count;  // as many free blocks as this the loader never has; one is lost
    return;
  }
  // The oldest go: the latest are still in the processor's cache. All inside the section, so that fork() in another
  // thread never copies a heap that is half moved.
  PoolSection section;
  put_batch(size_class, cache.blocks, batch);
  memmove(cache.blocks, cache.blocks + batch, (cache.count - batch) * sizeof(void*));
  cache.count -= batch;
}

}  // namespace ana::heap
