// A group: accesses at constant distances from each other, without gaps of a line or more, that one check serves.
#pragma once
#include "instrument/access.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"

namespace ana {

// Bytes [low, high] from the place that `key` stands for; `anchor` is a pointer to offset `anchor_at` of it.
struct Group {
  const void* key = nullptr;
  llvm::Value* anchor = nullptr;
  int64_t anchor_at = 0;
  int64_t low = 0;
  int64_t high = 0;
  bool write = false;
  llvm::Align align;  // of key + aligned_at
  int64_t aligned_at = 0;

  Group(const Access& access, const llvm::DataLayout& layout);

  bool covers(const Group& other) const {
    return key == other.key && low <= other.low && high >= other.high && (write || !other.write);
  }
  // Takes `other` in, if every line in between is needed. A read becomes a write only at the same place.
  bool absorb(const Group& other);

  // `place` stands for the anchor from now on, in another loop.
  void rebase(llvm::ScalarEvolution& evolution, const llvm::SCEV* place);

  Range range() const { return range_at(anchor, low - anchor_at, high - anchor_at, write); }
  Check check() const;
};

// Gives each access its key and its offset from it. Two equal keys stand for equal addresses as long as no back edge is
// taken. `evolution` may be null: then a key is a pointer without its constant offsets, else it is a SCEV without its
// constant part, so that a[i] and a[i + 1] have the same.
void assign_keys(llvm::MutableArrayRef<Access> accesses, llvm::ScalarEvolution* evolution,
                 const llvm::DataLayout& layout);

}  // namespace ana
