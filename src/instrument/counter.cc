#include "instrument/counter.h"

#include "instrument/emit.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace ana {

LoopCounters::LoopCounters(Function& function, const LoopInfo& loops) : function_(function) {
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopPreheader() || !loop->hasDedicatedExits()) continue;
    Entry entry;
    loop->getUniqueExitBlocks(entry.exits);
    if (any_of(entry.exits, [](const BasicBlock* block) { return block->isEHPad(); })) continue;
    entry.before = loop->getLoopPreheader()->getTerminator();
    entries_[loop] = entry;
  }
}

void LoopCounters::use(const Loop& loop) {
  auto found = entries_.find(&loop);
  if (found == entries_.end() || found->second.counter.now) return;
  IRBuilder<> builder(&*function_.getEntryBlock().begin());
  found->second.counter.now = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "ana.count");
  found->second.counter.synced = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "ana.synced");
}

const Counter* LoopCounters::of(const Loop* loop) const {
  auto found = entries_.find(loop);
  return found == entries_.end() || !found->second.counter.now ? nullptr : &found->second.counter;
}

void LoopCounters::finish(Emitter& emitter) {
  std::vector<AllocaInst*> allocas;
  for (auto& [loop, entry] : entries_) {
    if (!entry.counter.now) continue;
    IRBuilder<> builder(entry.before);
    emitter.load_count(builder, entry.counter);
    for (BasicBlock* exit : entry.exits) {
      builder.SetInsertPoint(exit, exit->getFirstInsertionPt());
      emitter.store_count(builder, entry.counter);
    }
    allocas.push_back(entry.counter.now);
    allocas.push_back(entry.counter.synced);
  }
  if (allocas.empty()) return;
  DominatorTree dominators(function_);
  PromoteMemToReg(allocas, dominators);
}

}  // namespace ana
