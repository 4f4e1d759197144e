#include "runtime/interpose/heap_pool.h"

#include <sched.h>

#include "runtime/interpose/heap_region.h"
#include "runtime/interpose/heap_slot.h"
#include "runtime/interpose/runtime.h"

extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso);

namespace ana::heap {

namespace {

constexpr uint64_t kBatchGrowth = 64 << 10;
constexpr uint32_t kExactBins = 64;   // extents of 1..63 spans have a bin each; above, four bins per doubling
constexpr uint32_t kBins = kExactBins + 4 * 21;
constexpr uint32_t kLooksInBin = 32;  // extents of a bin that are looked at for the best fit
constexpr uint32_t kReleaseSpans = (1 << 20) >> kSpanShift;  // this much likely dirt goes back to the system

struct Pool {
  uint32_t lock;  // passive only
  Batch* by_class[kClasses + 1];
  Batch* spare;
  uint64_t batches_made;  // bytes
  uint64_t batches_mapped;
  uint32_t bins[kBins];   // first extent: span index + 1
  uint64_t nonempty[(kBins + 63) / 64];
};
Pool g_pool;

void lock_pool() {
  for (uint32_t spins = 0; __atomic_exchange_n(&g_pool.lock, 1, __ATOMIC_ACQUIRE);) {
    if (++spins % 64 == 0) {
      sched_yield();
    } else {
      __builtin_ia32_pause();
    }
  }
}

void unlock_pool() { __atomic_store_n(&g_pool.lock, 0, __ATOMIC_RELEASE); }

void unlock_in_child() {
  break_heap_locks();
  unlock_pool();
}

Batch* new_batch() {
  if (Batch* batch = g_pool.spare) {
    g_pool.spare = batch->next;
    return batch;
  }
  if (g_pool.batches_made == g_pool.batches_mapped) {
    if (!map_batches(g_pool.batches_mapped, kBatchGrowth)) return nullptr;
    g_pool.batches_mapped += kBatchGrowth;
  }
  Batch* batch = reinterpret_cast<Batch*>(g_region.batches + g_pool.batches_made);
  g_pool.batches_made += sizeof(Batch);
  return batch;
}

uint32_t bin_of(uint32_t spans) {
  if (spans < kExactBins) return spans;
  uint32_t power = 31 - static_cast<uint32_t>(__builtin_clz(spans));
  return kExactBins + 4 * (power - 6) + ((spans >> (power - 2)) & 3);
}

uint32_t spans_of_pages(uint64_t pages) {
  return static_cast<uint32_t>((pages * kPageBytes + kSpanBytes - 1) >> kSpanShift);
}

// A piece of the region that is free, or on its way from or to being so.
struct Piece {
  uint32_t first;
  uint32_t spans;
  uint32_t dirt;
  bool dirty;
};

void insert(const Piece& piece) {
  if (piece.spans == 0) return;
  g_region.spans[piece.first] = {kFreeExtent, 0, 0, piece.spans};
  g_region.spans[piece.first + piece.spans - 1] = {kFreeExtent, 0, 0, piece.spans};
  uint32_t bin = bin_of(piece.spans);
  uint32_t next = g_pool.bins[bin];
  g_region.extents[piece.first] = {next, 0, piece.dirt, piece.dirty};
  if (next) g_region.extents[next - 1].previous = piece.first + 1;
  g_pool.bins[bin] = piece.first + 1;
  g_pool.nonempty[bin / 64] |= 1ull << (bin % 64);
}

// Takes the free extent that starts at `first` out of its bin.
Piece remove(uint32_t first) {
  uint32_t spans = g_region.spans[first].count;
  Extent extent = g_region.extents[first];
  uint32_t bin = bin_of(spans);
  if (extent.next) g_region.extents[extent.next - 1].previous = extent.previous;
  if (extent.previous) {
    g_region.extents[extent.previous - 1].next = extent.next;
  } else {
    g_pool.bins[bin] = extent.next;
    if (!extent.next) g_pool.nonempty[bin / 64] &= ~(1ull << (bin % 64));
  }
  g_region.spans[first] = {};
  g_region.spans[first + spans - 1] = {};
  return {first, spans, extent.dirt, extent.dirty != 0};
}

// The smallest of the first extents of a bin that has `spans`; -1: none of them.
int64_t best_in_bin(uint32_t bin, uint32_t spans) {
  int64_t best = -1;
  uint32_t at = g_pool.bins[bin];
  for (uint32_t looks = 0; at && looks < kLooksInBin; ++looks, at = g_region.extents[at - 1].next) {
    uint32_t size = g_region.spans[at - 1].count;
    if (size >= spans && (best < 0 || size < g_region.spans[best].count)) best = at - 1;
  }
  return best;
}

int64_t find_extent(uint32_t spans) {
  uint32_t bin = bin_of(spans);
  int64_t found = best_in_bin(bin, spans);
  while (found < 0) {
    ++bin;
    uint64_t rest = bin / 64 < sizeof g_pool.nonempty / 8 ? g_pool.nonempty[bin / 64] >> (bin % 64) : 0;
    if (rest) {
      return best_in_bin(bin + static_cast<uint32_t>(__builtin_ctzll(rest)), spans);
    }
    bin |= 63;
    if (bin + 1 >= kBins) return -1;
  }
  return found;
}

// Splits `piece` at `spans`; returns the rest behind it. The dirt is taken to be in front: what was used last is what
// is used next. That is an estimate; `dirty` is not.
Piece split(Piece& piece, uint32_t spans) {
  uint32_t front = piece.dirt < spans ? piece.dirt : spans;
  Piece rest{piece.first + spans, piece.spans - spans, piece.dirt - front, piece.dirty};
  piece = {piece.first, spans, front, piece.dirty};
  return rest;
}

// Joins `piece` with its free neighbours and puts it in its bin.
void give_back(Piece piece) {
  if (piece.spans == 0) return;
  uint32_t end = piece.first + piece.spans;
  if (end < (g_region.used >> kSpanShift) && g_region.spans[end].kind == kFreeExtent) {
    Piece right = remove(end);
    piece = {piece.first, piece.spans + right.spans, piece.dirt + right.dirt, piece.dirty || right.dirty};
  }
  if (piece.first > 0 && g_region.spans[piece.first - 1].kind == kFreeExtent) {
    Piece left = remove(piece.first - g_region.spans[piece.first - 1].count);
    piece = {left.first, piece.spans + left.spans, piece.dirt + left.dirt, piece.dirty || left.dirty};
  }
  if (piece.dirt >= kReleaseSpans) {
    // Like munmap(2), this is no access of the program's: a thread that still reads a freed block of this size in
    // spite of all sees the old bytes or zeros.
    release(span_address(piece.first), static_cast<uint64_t>(piece.spans) << kSpanShift);
    piece.dirt = 0;
    piece.dirty = false;
  }
  insert(piece);
}

// Spans for a large block: out of a free extent, or fresh.
bool take_spans(uint32_t spans, Piece& piece) {
  int64_t found = find_extent(spans);
  if (found >= 0) {
    piece = remove(static_cast<uint32_t>(found));
    insert(split(piece, spans));
    return true;
  }
  int64_t first = grow_region(spans);
  if (first < 0) return false;
  piece = {static_cast<uint32_t>(first), spans, 0, false};
  return true;
}

bool is_large(const void* block, uint64_t& index) {
  index = span_index(block);
  return index < (g_region.used >> kSpanShift) && span_address(index) == block && g_region.spans[index].kind == kLarge;
}

}  // namespace

PoolSection::PoolSection() {
  if (g_host) {
    g_host->known_enter(WellKnown::kHeapPool);
  } else {
    lock_pool();
  }
}

PoolSection::~PoolSection() {
  if (g_host) {
    g_host->known_leave(WellKnown::kHeapPool);
  } else {
    unlock_pool();
  }
}

void pool_start() {
  if (!g_host) __register_atfork(lock_pool, unlock_pool, unlock_in_child, nullptr);
}

void put_batch(uint32_t size_class, void* const* blocks, uint32_t count) {
  Batch* batch = new_batch();
  if (!batch) return;  // no memory for the list: the blocks are lost, which is better than an end here
  batch->count = count;
  for (uint32_t i = 0; i < count; ++i) batch->blocks[i] = blocks[i];
  batch->next = g_pool.by_class[size_class];
  g_pool.by_class[size_class] = batch;
}

uint32_t take_batch(uint32_t size_class, void** to) {
  Batch* batch = g_pool.by_class[size_class];
  if (!batch) return 0;
  g_pool.by_class[size_class] = batch->next;
  for (uint32_t i = 0; i < batch->count; ++i) to[i] = batch->blocks[i];
  batch->next = g_pool.spare;
  g_pool.spare = batch;
  return batch->count;
}

char* grant_segment(uint64_t spans) {
  int64_t first = grow_region(spans);
  return first < 0 ? nullptr : span_address(static_cast<uint64_t>(first));
}

Block large_allocate(size_t bytes, size_t alignment) {
  if (bytes > g_region.bytes || alignment > g_region.bytes) return {};
  uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  uint32_t spans = spans_of_pages(pages);
  uint32_t step = alignment > kSpanBytes ? static_cast<uint32_t>(alignment >> kSpanShift) : 1;
  Piece piece;
  if (!take_spans(spans + step - 1, piece)) return {};
  if (step > 1) {
    uint64_t at = reinterpret_cast<uint64_t>(span_address(piece.first));
    uint64_t skip = (((at + alignment - 1) & ~(static_cast<uint64_t>(alignment) - 1)) - at) >> kSpanShift;
    Piece front = piece;
    piece = split(front, static_cast<uint32_t>(skip));
    give_back(front);
    give_back(split(piece, spans));
  }
  g_region.spans[piece.first] = {kLarge, 0, 0, static_cast<uint32_t>(pages)};
  return {span_address(piece.first), !piece.dirty};
}

bool large_free(void* block) {
  uint64_t index;
  if (!is_large(block, index)) return false;
  uint32_t spans = spans_of_pages(g_region.spans[index].count);
  g_region.spans[index] = {};
  give_back({static_cast<uint32_t>(index), spans, spans, true});
  return true;
}

bool large_resize(void* block, size_t bytes) {
  uint64_t index;
  if (bytes > g_region.bytes || !is_large(block, index)) return false;
  uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  uint32_t old_spans = spans_of_pages(g_region.spans[index].count), spans = spans_of_pages(pages);
  uint32_t end = static_cast<uint32_t>(index) + old_spans;
  if (spans < old_spans) {
    uint32_t tail = old_spans - spans;
    give_back({end - tail, tail, tail, true});
  } else if (spans > old_spans) {
    uint32_t more = spans - old_spans;
    if (end == (g_region.used >> kSpanShift)) {
      if (grow_region(more) < 0) return false;
    } else if (g_region.spans[end].kind == kFreeExtent && g_region.spans[end].count >= more) {
      Piece next = remove(end);
      insert(split(next, more));
    } else {
      return false;
    }
  }
  g_region.spans[index].count = static_cast<uint32_t>(pages);
  return true;
}

}  // namespace ana::heap
