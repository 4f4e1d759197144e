// Turns a counted loop into strips: an outer loop around the old one that comes by at least once per `limit`
// iterations.
//
//   preheader -> strip -> header ... latch -> [strip done] -> test -> [old exit condition] -> exit
//                  ^        ^----------'                        |
//                  '------------------------- next <-----------'
//
// `strip` is where the ranges of the coming iterations are checked, `next` is where a poll may stand. The old
// condition is tested once per strip: the number of iterations is known exactly, so it can only end the loop there.
#pragma once
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Value.h"

namespace ana {

struct Strips {
  llvm::BasicBlock* strip = nullptr;
  llvm::BasicBlock* next = nullptr;
  llvm::Value* done = nullptr;  // i64: iterations before this strip
  llvm::Value* more = nullptr;  // i64: iterations of this strip but one
};

// What the transformation takes for granted: a preheader, one latch that is the only exiting block and ends in a
// conditional branch.
bool can_be_stripped(const llvm::Loop& loop);

// `back_edges` (i64, available in the preheader) is how often the back edge is taken. Analyses of the function are
// stale afterwards.
Strips make_strips(llvm::Loop& loop, llvm::Value* back_edges, uint64_t limit);

}  // namespace ana
