// Plans the checks of accesses that no loop plan covers, and the held sets of all cold calls.
//
// A segment is code along which a permission, once checked, stays valid: a tree of blocks, each with its one
// predecessor above it, without anything that ends_segment(). A *group* is a set of accesses at constant distances
// that one check serves (group.h); a *bundle* is a set of groups that are checked at the same place, with one cold
// call. A cold call may yield, so it is given all groups that were checked before and will be relied upon later
// (liveness, backwards), and the ranges held by the loops around.
#pragma once
#include <functional>
#include <vector>

#include "instrument/access.h"
#include "instrument/counter.h"
#include "instrument/polls.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"

namespace ana {

// A check (or a poll, if there are no `own`) to be emitted before an instruction.
struct Insertion {
  llvm::Instruction* before = nullptr;
  llvm::SmallVector<Check, 4> own;
  llvm::SmallVector<Range, 4> held;
  llvm::DebugLoc where;
  const Counter* counter = nullptr;
};

// Not more than this is held by a segment, nor by the loops around it; twice this is ANA_MAX_RANGES.
constexpr size_t kMaxSegmentGroups = 32;
constexpr size_t kMaxLoopRanges = 32;

using LoopRanges = std::function<llvm::ArrayRef<Range>(const llvm::BasicBlock*)>;

// In program order within each block; to be emitted from the last to the first. `accesses` are in program order and
// have their keys. May move address computations inside their block, changes nothing else.
std::vector<Insertion> plan_segments(llvm::Function& function, llvm::ArrayRef<Access> accesses, const PollPlan& polls,
                                     const LoopRanges& loop_ranges);

}  // namespace ana
