// What the parts of the pass talk about: an access to memory, and a range of bytes handed to the runtime.
#pragma once
#include <cstdint>

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/Alignment.h"

namespace ana {

// Bytes [pointer + offset, pointer + offset + size) are read or written by `inst`. Invariant: size <= kMaxAccess; wider
// accesses are several of these with the same instruction.
struct Access {
  llvm::Instruction* inst = nullptr;
  llvm::Value* pointer = nullptr;
  int64_t offset = 0;
  uint64_t size = 0;
  llvm::Align align;  // of pointer + offset
  bool write = false;
  bool alone = false;  // atomic or volatile: checked right before the access, for this access only
  // What assign_keys() found: `pointer` is `key_offset` bytes behind the place that `key` stands for.
  const void* key = nullptr;
  int64_t key_offset = 0;
};

constexpr uint64_t kLineBytes = 64;
constexpr uint64_t kMaxAccess = kLineBytes;

// base + index * scale + offset; the base is a pointer or i64, the index i64 or null.
struct Place {
  llvm::Value* base = nullptr;
  int64_t offset = 0;
  llvm::Value* index = nullptr;
  int64_t scale = 1;
};

// Bytes [first, last]. The sums are formed where they are used, which is in cold blocks for most ranges: they cost the hot
// path no register.
struct Range {
  Place first;
  Place last;
  bool write = false;
};

inline Range range_at(llvm::Value* base, int64_t low, int64_t high, bool write) {
  return {{base, low}, {base, high}, write};
}

// How many lines of a range must be looked at.
enum class Extent : uint8_t {
  kOneLine,   // all bytes lie in one line
  kTwoLines,  // at most 64 bytes: the lines of the first and of the last byte
  kFewLines,  // a constant size: the lines of every 64th byte and of the last one
  kScan,      // every line from the first to the last byte's, by a loop
};

struct Check {
  Range range;
  Extent extent = Extent::kOneLine;
};

// true if the bytes [low, high] relative to a pointer lie in one line, given that pointer + aligned_at is a multiple of
// `align`.
bool fits_one_line(int64_t low, int64_t high, llvm::Align align, int64_t aligned_at);

}  // namespace ana
