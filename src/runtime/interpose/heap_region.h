// The address space of the allocator, and the table that says what each span of it holds.
//
//   region    [base, base + bytes)                  grows from the bottom, only inside the pool's section
//   loader    [base + kLoaderOffset + slot * 1 GiB) hosted only: what the dynamic loader allocates (heap_slot.h)
//   info      the allocator's own tables, never seen by the program:
//               slot heaps | span table | extent table | batches
//
// Hosted, both lie at the fixed addresses of layout.h and pages come from the host. Passive, they are reservations of
// this process. Either way memory is zero when it is mapped, and zero again after `release`.
//
// `grow_region` and `map_batches` are called inside the pool's section; `slot_info` and `map_loader` by the slot's own
// thread; the span table is written by whoever makes a run or a large block, before anybody knows a pointer into it.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "runtime/interpose/heap_classes.h"
#include "runtime/layout.h"
#include "trace/session.h"

namespace ana::heap {

constexpr uint64_t kLoaderOffset = 3ull << 40;
constexpr uint64_t kLoaderStride = 1ull << 30;
static_assert(kLoaderOffset + kMaxSlots * kLoaderStride <= layout::kHeapBytes);

// What a span holds. 1..kClasses: blocks of that class.
enum SpanKind : uint8_t {
  kUnused = 0,        // nothing, or the inside of a large block or of a free extent
  kFreeExtent = 254,  // first or last span of a free extent; count: its spans
  kLarge = 255,       // first span of a large block; count: its pages
};

struct Span {
  uint8_t kind;
  uint8_t offset;  // place of the span in its run
  uint16_t reserved;
  uint32_t count;
};
static_assert(sizeof(Span) == 8);

// About a free extent, at the index of its first span. Links are span index + 1; 0: none.
struct Extent {
  uint32_t next;
  uint32_t previous;
  uint32_t dirt;   // spans of it that are likely to hold pages
  uint32_t dirty;  // 1: it may hold other bytes than zero
};
static_assert(sizeof(Extent) == 16);

struct Region {
  char* base;        // null until start_region()
  uint64_t bytes;    // that blocks other than the loader's may use
  uint64_t used;     // granted so far; a pointer of the program's is below
  Span* spans;
  Extent* extents;
  char* slots;       // slot_info() of slot 0
  char* batches;
  uint64_t batch_bytes;
};
extern Region g_region;
// It was begun in a recording or replay.
inline bool is_hosts() { return g_region.base == reinterpret_cast<char*>(layout::kHeap); }

constexpr uint64_t kSlotInfoBytes = 64 << 10;

// Finds the addresses; the rest may be called only afterwards. False: no address space.
bool start_region();

// Appends `spans` fresh spans; returns the index of the first or -1.
int64_t grow_region(uint64_t spans);
// Zero pages for the heap of a slot: [0] the program's, [1] the loader's.
char* slot_info(uint32_t slot, bool loader);
bool map_loader(uint32_t slot, uint64_t offset, uint64_t bytes);
bool map_batches(uint64_t offset, uint64_t bytes);
// Back to zero pages that take no memory.
void release(char* at, uint64_t bytes);

inline uint64_t span_index(const void* p) {
  return (reinterpret_cast<uint64_t>(p) - reinterpret_cast<uint64_t>(g_region.base)) >> kSpanShift;
}
inline char* span_address(uint64_t index) { return g_region.base + (index << kSpanShift); }

}  // namespace ana::heap
