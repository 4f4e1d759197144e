// Where a function polls. Replay finds a place again by (count, site), so no site may run twice without a poll in
// between: every cycle of the control flow counts at least once, and so does every function that has a place to find,
// and every second return of setjmp.
//
// Recursion has one more case: a site behind a recursive call runs once per return of it, one right after the other. So
// functions that may be entered again poll before they return from behind such a site, and in every landing pad.
#pragma once
#include <functional>
#include <vector>

#include "instrument/recursion.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace ana {

struct PollPlan {
  // Poll before the terminators of these blocks: the sources of all retreating edges of a depth-first search, so that
  // loops that LoopInfo does not know as loops (irreducible ones) are covered too. Without duplicates.
  std::vector<llvm::BasicBlock*> blocks;
  // Poll after these calls, which return twice.
  std::vector<llvm::CallBase*> calls;
};

PollPlan plan_polls(llvm::Function& function);

// Takes out the blocks that need not poll because every cycle through them polls elsewhere: the latches of loops around
// loops that always run.
void remove_superfluous(PollPlan& plan);

// Before which instructions (behind them, if they are landing pads) a function that may be entered again polls besides:
// before an instruction or a hook with a site in it. Nothing is held at these places.
std::vector<llvm::Instruction*> plan_return_polls(llvm::Function& function, const PollPlan& polls,
                                                  const Recursion& recursion,
                                                  const std::function<bool(const llvm::Instruction&)>& has_site);

}  // namespace ana
