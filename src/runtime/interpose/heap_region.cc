#include "runtime/interpose/heap_region.h"

#include <sys/mman.h>

#include "runtime/interpose/runtime.h"

namespace ana::heap {

Region g_region;

namespace {

constexpr uint64_t kGrowth = 4 << 20;       // the region is mapped in steps of this
constexpr uint64_t kTableGrowth = 64 << 10;

// How much of each growing table is mapped.
uint64_t g_mapped;
uint64_t g_spans_mapped;
uint64_t g_extents_mapped;

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); }

bool map(void* at, uint64_t bytes) {
  if (g_host) return g_host->heap_map(reinterpret_cast<uint64_t>(at), bytes);
  if (!is_hosts()) return mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;  // the child of a fork
  return mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}

// Maps `table` as far as `bytes`, if it is not yet.
bool map_up_to(void* table, uint64_t bytes, uint64_t step, uint64_t limit, uint64_t& mapped) {
  if (bytes <= mapped) return true;
  uint64_t end = round_up(bytes, step);
  if (end > limit) end = limit;
  if (bytes > end || !map(static_cast<char*>(table) + mapped, end - mapped)) return false;
  mapped = end;
  return true;
}

// Where the tables lie, for a region of `total` bytes (with the loader's part). Returns the bytes of all. The batches
// may take a sixteenth of the region: enough for all of it in free blocks of 128 bytes.
uint64_t place_tables(char* info, uint64_t total) {
  uint64_t spans = total >> kSpanShift;
  uint64_t at = 0;
  g_region.slots = info;
  at += 2 * kMaxSlots * kSlotInfoBytes;
  g_region.spans = reinterpret_cast<Span*>(info + at);
  at += round_up(spans * sizeof(Span), kSpanBytes);
  g_region.extents = reinterpret_cast<Extent*>(info + at);
  at += round_up(spans * sizeof(Extent), kSpanBytes);
  g_region.batches = info + at;
  g_region.batch_bytes = total / 16;
  return at + g_region.batch_bytes;
}

// As much address space as this process may have: a limit on it (ulimit -v) should not stop a program.
bool reserve() {
  for (uint64_t bytes = 1ull << 40; bytes >= 1ull << 28; bytes /= 4) {
    uint64_t total = bytes + place_tables(nullptr, bytes) + kSpanBytes;
    void* at = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    char* base = reinterpret_cast<char*>(round_up(reinterpret_cast<uint64_t>(at), kSpanBytes));
    place_tables(base + bytes, bytes);
    g_region.bytes = bytes;
    g_region.base = base;
    return true;
  }
  return false;
}

}  // namespace

bool start_region() {
  if (g_region.base) return true;
  if (!g_host) return reserve();
  uint64_t info = place_tables(reinterpret_cast<char*>(layout::kHeapInfo), layout::kHeapBytes);
  if (info > layout::kHeapInfoBytes) return false;
  g_region.bytes = kLoaderOffset;
  g_region.base = reinterpret_cast<char*>(layout::kHeap);
  return true;
}

int64_t grow_region(uint64_t spans) {
  uint64_t first = g_region.used >> kSpanShift;
  if (spans > (g_region.bytes >> kSpanShift) - first) return -1;
  uint64_t end = first + spans;
  if (!map_up_to(g_region.spans, end * sizeof(Span), kTableGrowth, ~0ull, g_spans_mapped) ||
      !map_up_to(g_region.extents, end * sizeof(Extent), kTableGrowth, ~0ull, g_extents_mapped) ||
      !map_up_to(g_region.base, end << kSpanShift, kGrowth, g_region.bytes, g_mapped)) {
    return -1;
  }
  // Pairs with the loads in free(): whoever got a pointer from us, got it after this.
  __atomic_store_n(&g_region.used, end << kSpanShift, __ATOMIC_RELEASE);
  return static_cast<int64_t>(first);
}

char* slot_info(uint32_t slot, bool loader) {
  char* at = g_region.slots + (2 * slot + loader) * kSlotInfoBytes;
  return map(at, kSlotInfoBytes) ? at : nullptr;
}

bool map_loader(uint32_t slot, uint64_t offset, uint64_t bytes) {
  uint64_t at = kLoaderOffset + slot * kLoaderStride;
  if (offset == 0) {
    // The part of the span table that is about this slot's arena: 128 KiB.
    char* table = reinterpret_cast<char*>(g_region.spans + (at >> kSpanShift));
    if (!map(table, (kLoaderStride >> kSpanShift) * sizeof(Span))) return false;
  }
  return offset + bytes <= kLoaderStride && map(g_region.base + at + offset, bytes);
}

bool map_batches(uint64_t offset, uint64_t bytes) {
  return offset + bytes <= g_region.batch_bytes && map(g_region.batches + offset, bytes);
}

void release(char* at, uint64_t bytes) {
  if (g_host) {
    g_host->heap_unmap(reinterpret_cast<uint64_t>(at), bytes);
  } else {
    madvise(at, bytes, MADV_DONTNEED);
  }
}

}  // namespace ana::heap
