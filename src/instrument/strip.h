// Turns a counted loop into strips: an outer loop around the old one that comes by at least once per `limit`
// iterations.
//
//   preheader -> strip -> header ... latch -> [strip done] -> test -> [all iterations done] -> exit
//                  ^        ^----------'                        |
//                  '------------------------- next <-----------'
//
// `strip` is where the ranges of the coming iterations are checked, `next` is where a poll may stand. The number of
// iterations is known exactly, so it takes the place of the old exit condition, once per strip.
#pragma once
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Value.h"

namespace ana {

struct Strips {
  llvm::BasicBlock* strip = nullptr;
  llvm::BasicBlock* next = nullptr;
  llvm::Value* done = nullptr;  // i64: iterations before this strip
  llvm::Value* last = nullptr;  // i64: iterations before the last one of this strip
};

// What the transformation takes for granted: a preheader, one latch that is the only exiting block and ends in a
// conditional branch.
bool can_be_stripped(const llvm::Loop& loop);

// `back_edges` (i64, available in the preheader) is how often the back edge is taken. Analyses of the function are
// stale afterwards.
Strips make_strips(llvm::Loop& loop, llvm::Value* back_edges, uint64_t limit);

}  // namespace ana
