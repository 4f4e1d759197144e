// Size classes of the allocator: which block size serves a request, and how blocks of a size are laid out.
//
// Blocks up to 128 bytes go in steps of 16; above, each doubling has four classes, so a block is at most a quarter
// larger than what was asked for (plus the rounding to 16). Blocks of a class lie side by side in a *run*: one or more
// *spans* of 64 KiB whose class is written in a table (heap_region.h), never in the blocks. Runs start at multiples of
// 64 KiB, so every block of a class whose size is a multiple of A <= 64 KiB is aligned to A.
//
// Pure values: no state.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ana::heap {

constexpr uint32_t kSpanShift = 16;
constexpr uint64_t kSpanBytes = 1ull << kSpanShift;
constexpr uint64_t kPageBytes = 4096;
constexpr size_t kMinBlock = 16;
constexpr size_t kMaxSmall = 256 << 10;  // larger requests are served by the pool, page by page
constexpr uint32_t kClasses = 52;        // numbered 1..kClasses; 0 means "no class"

// Blocks that one batch between a slot and the pool holds at most: what makes a Batch 1 KiB (heap_pool.h).
constexpr uint32_t kMaxBatch = 126;

struct SizeClass {
  uint32_t bytes;
  uint32_t run_spans;
  uint32_t run_blocks;
  uint32_t capacity;    // blocks that a slot keeps of this class
  uint32_t batch;       // blocks that it exchanges with the pool at once
  uint32_t reciprocal;  // ceil(2^kReciprocalShift / bytes): division of an offset in a run by multiplication
};

constexpr uint32_t kReciprocalShift = 35;

inline constexpr uint32_t class_of(size_t bytes) {
  if (bytes <= 128) return bytes ? static_cast<uint32_t>((bytes + 15) >> 4) : 1;
  uint64_t last = bytes - 1;
  uint32_t power = 63 - static_cast<uint32_t>(__builtin_clzll(last));
  return 9 + 4 * (power - 7) + (static_cast<uint32_t>(last >> (power - 2)) & 3);
}

struct ClassTable {
  SizeClass at[kClasses + 1];
};

constexpr uint32_t class_bytes(uint32_t c) {
  if (c <= 8) return c * 16;
  uint32_t doubling = (c - 9) / 4, step = (c - 9) % 4;
  return (128u << doubling) / 4 * (5 + step);
}

// The shortest run whose unused tail is at most an eighth of it.
constexpr uint32_t spans_of_run(uint32_t bytes) {
  uint32_t spans = 1;
  while (spans * kSpanBytes < bytes || spans * kSpanBytes % bytes > spans * kSpanBytes / 8) ++spans;
  return spans;
}

constexpr ClassTable make_classes() {
  ClassTable table{};
  for (uint32_t c = 1; c <= kClasses; ++c) {
    SizeClass& it = table.at[c];
    it.bytes = class_bytes(c);
    it.run_spans = spans_of_run(it.bytes);
    it.run_blocks = static_cast<uint32_t>(it.run_spans * kSpanBytes / it.bytes);
    // A slot keeps 128 KiB of a class, but not so many blocks that their list takes more than half a page.
    uint32_t kept = (128u << 10) / it.bytes;
    it.capacity = kept < 2 ? 2 : kept > 254 ? 254 : kept;
    it.batch = it.capacity / 2 > kMaxBatch ? kMaxBatch : it.capacity / 2;
    it.reciprocal = static_cast<uint32_t>(((1ull << kReciprocalShift) + it.bytes - 1) / it.bytes);
  }
  return table;
}

inline constexpr ClassTable kTable = make_classes();

// true if a block of class `c` can start `offset` bytes into a run.
inline constexpr bool starts_block(uint32_t c, uint64_t offset) {
  const SizeClass& it = kTable.at[c];
  uint64_t index = (offset * it.reciprocal) >> kReciprocalShift;
  return index * it.bytes == offset && index < it.run_blocks;
}

constexpr bool classes_are_valid() {
  for (uint32_t c = 1; c <= kClasses; ++c) {
    const SizeClass& it = kTable.at[c];
    if (class_of(it.bytes) != c || it.bytes % 16 || it.run_spans > 8 || it.batch == 0) return false;
    if (c < kClasses && class_of(it.bytes + 1) != c + 1) return false;
    for (uint64_t i = 0; i < it.run_blocks; i += it.run_blocks > 64 ? 61 : 1) {
      if (!starts_block(c, i * it.bytes) || starts_block(c, i * it.bytes + 8)) return false;
    }
    if (!starts_block(c, (it.run_blocks - 1) * static_cast<uint64_t>(it.bytes))) return false;
  }
  return kTable.at[kClasses].bytes == kMaxSmall;
}
static_assert(classes_are_valid());

}  // namespace ana::heap
