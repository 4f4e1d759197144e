#include "instrument/polls.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace ana {

PollPlan plan_polls(Function& function) {
  PollPlan plan;
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 16> edges;
  FindFunctionBackedges(function, edges);
  SmallPtrSet<const BasicBlock*, 16> seen;
  for (const auto& [from, to] : edges) {
    if (seen.insert(from).second) plan.blocks.push_back(const_cast<BasicBlock*>(from));
  }
  for (BasicBlock& block : function) {
    for (Instruction& inst : block) {
      auto* call = dyn_cast<CallBase>(&inst);
      if (call && call->hasFnAttr(Attribute::ReturnsTwice) && !isa<CallBrInst>(call)) plan.calls.push_back(call);
    }
  }
  return plan;
}

// A cycle through `block` that comes by none of `others`. Large loops are not searched to the end.
static bool may_come_back(const BasicBlock* block, const SmallPtrSetImpl<const BasicBlock*>& others) {
  constexpr size_t kMostBlocks = 256;
  SmallPtrSet<const BasicBlock*, 32> seen;
  SmallVector<const BasicBlock*, 32> work(successors(block));
  while (!work.empty()) {
    const BasicBlock* next = work.pop_back_val();
    if (next == block || seen.size() == kMostBlocks) return true;
    if (others.contains(next) || !seen.insert(next).second) continue;
    work.append(succ_begin(next), succ_end(next));
  }
  return false;
}

void remove_superfluous(PollPlan& plan) {
  SmallPtrSet<const BasicBlock*, 16> kept(plan.blocks.begin(), plan.blocks.end());
  erase_if(plan.blocks, [&](BasicBlock* block) {
    kept.erase(block);
    if (!may_come_back(block, kept)) return true;
    kept.insert(block);
    return false;
  });
}

namespace {

// What happened since the last poll.
enum State : uint8_t { kNothing = 0, kReturned = 1, kSiteBehind = 2 };

class ReturnPolls {
 public:
  ReturnPolls(Function& function, const PollPlan& polls, const Recursion& recursion,
              const std::function<bool(const Instruction&)>& has_site)
      : function_(function), latches_(polls.blocks.begin(), polls.blocks.end()),
        calls_(polls.calls.begin(), polls.calls.end()), recursion_(recursion), has_site_(has_site) {}

  std::vector<Instruction*> run() {
    std::vector<Instruction*> result;
    SmallVector<BasicBlock*, 32> work;
    for (BasicBlock& block : function_) work.push_back(&block);
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      uint8_t out = pass(*block, nullptr);
      for (BasicBlock* next : successors(block)) {
        uint8_t& in = at_start_[next];
        if ((in | out) == in) continue;
        in |= out;
        work.push_back(next);
      }
    }
    for (BasicBlock& block : function_) {
      if (block.isLandingPad()) result.push_back(block.getLandingPadInst());
      pass(block, &result);
    }
    return result;
  }

 private:
  // The state at the end of a block; with `result`, also where to poll in it.
  uint8_t pass(BasicBlock& block, std::vector<Instruction*>* result) {
    uint8_t state = block.isLandingPad() ? kReturned : at_start_.lookup(&block);
    Instruction* way_out = last_before_return(block);
    for (Instruction& inst : block) {
      if (inst.isTerminator() && latches_.contains(&block)) state = kNothing;
      if ((state & kReturned) && has_site_(inst)) state |= kSiteBehind;
      if (&inst == way_out && (state & kSiteBehind) && result) result->push_back(&inst);
      auto* call = dyn_cast<CallBase>(&inst);
      if (!call) continue;
      if (recursion_.may_call_back(*call)) state |= kReturned;
      if (calls_.contains(call)) state = kNothing;
    }
    return state;
  }

  // The return, or the call before it if that may be a tail call: it must remain one.
  static Instruction* last_before_return(BasicBlock& block) {
    auto* leave = dyn_cast<ReturnInst>(block.getTerminator());
    if (!leave) return nullptr;
    auto* call = dyn_cast_or_null<CallInst>(leave->getPrevNonDebugInstruction());
    if (!call || !call->isTailCall() || isa<IntrinsicInst>(call)) return leave;
    bool passes_result = !leave->getReturnValue() || leave->getReturnValue() == call;
    return passes_result ? static_cast<Instruction*>(call) : leave;
  }

  Function& function_;
  SmallPtrSet<const BasicBlock*, 16> latches_;
  SmallPtrSet<const CallBase*, 4> calls_;
  const Recursion& recursion_;
  const std::function<bool(const Instruction&)>& has_site_;
  DenseMap<const BasicBlock*, uint8_t> at_start_;
};

}  // namespace

std::vector<Instruction*> plan_return_polls(Function& function, const PollPlan& polls, const Recursion& recursion,
                                            const std::function<bool(const Instruction&)>& has_site) {
  if (!recursion.may_be_reentered(function)) return {};
  return ReturnPolls(function, polls, recursion, has_site).run();
}

}  // namespace ana
