// Counts the polls of quiet loops in registers. In such a loop nothing but its own cold calls looks at the count in the
// control block, so it is brought up to date before these and where the loop is left; a poll is then an increment and a
// comparison with the limit, and no store that the next iteration has to wait for.
//
// What is added to the control block is the number of polls since it was last read, not a new value: a handler of a
// synchronous signal may have counted in between.
#pragma once
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace ana {

class Emitter;

struct Counter {
  llvm::AllocaInst* now;     // the count
  llvm::AllocaInst* synced;  // what the control block had when it was last read
};

class LoopCounters {
 public:
  // Before any loop is changed.
  LoopCounters(llvm::Function& function, const llvm::LoopInfo& loops);

  // `loop` is quiet and polls.
  void use(const llvm::Loop& loop);
  // Null if `loop` is null, not used, or of a shape that does not allow it.
  const Counter* of(const llvm::Loop* loop) const;
  // After all polls and checks: the beginnings and ends of the loops, and the allocas become registers.
  void finish(Emitter& emitter);

 private:
  struct Entry {
    Counter counter{};
    llvm::Instruction* before = nullptr;  // the loop
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  };
  llvm::Function& function_;
  llvm::MapVector<const llvm::Loop*, Entry> entries_;
};

}  // namespace ana
