#include "instrument/segments.h"

#include <algorithm>

#include "instrument/group.h"
#include "instrument/options.h"
#include "instrument/select.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace ana {
namespace {

using GroupSet = SmallVector<unsigned, 8>;

struct Bundle {
  Instruction* before = nullptr;
  GroupSet groups;
  GroupSet held;
  bool poll = false;
};

// What happens in a block, in order: a bundle is checked, or a group is relied upon.
struct Event {
  bool is_bundle;
  unsigned index;
};

class Planner {
 public:
  Planner(Function& function, ArrayRef<Access> accesses, const PollPlan& polls, const LoopRanges& loop_ranges)
      : function_(function), layout_(function.getParent()->getDataLayout()), loop_ranges_(loop_ranges),
        polls_(polls.blocks.begin(), polls.blocks.end()) {
    for (size_t i = 0; i < accesses.size();) {
      size_t end = i;
      while (end < accesses.size() && accesses[end].inst == accesses[i].inst) ++end;
      accesses_[accesses[i].inst] = accesses.slice(i, end - i);
      i = end;
    }
  }

  std::vector<Insertion> run() {
    ReversePostOrderTraversal<Function*> order(&function_);
    SmallVector<BasicBlock*, 32> blocks(order.begin(), order.end());
    for (BasicBlock* block : blocks) scan(*block);
    for (BasicBlock* block : reverse(blocks)) find_held(*block);
    std::vector<Insertion> result;
    for (BasicBlock* block : blocks) collect(*block, result);
    return result;
  }

 private:
  void scan(BasicBlock& block);
  void scan_accesses(ArrayRef<Access> accesses, BasicBlock& block);
  void add_to_bundle(unsigned group, Instruction* inst, BasicBlock& block);
  bool make_available(Value* value, Instruction* at, unsigned depth);
  void end_segment() {
    active_.clear();
    current_ = -1;
  }
  void find_held(BasicBlock& block);
  void collect(BasicBlock& block, std::vector<Insertion>& result);

  Function& function_;
  const DataLayout& layout_;
  const LoopRanges& loop_ranges_;
  SmallPtrSet<const BasicBlock*, 16> polls_;
  DenseMap<const Instruction*, ArrayRef<Access>> accesses_;

  std::vector<Group> groups_;
  std::vector<Bundle> bundles_;
  DenseMap<const BasicBlock*, std::vector<Event>> events_;
  DenseMap<const BasicBlock*, GroupSet> at_end_;    // groups valid at the end of a block
  DenseMap<const BasicBlock*, GroupSet> live_out_;  // of these, the ones that later blocks rely upon

  // Of the block that is being scanned:
  GroupSet active_;
  int current_ = -1;             // the bundle that further groups may join
  unsigned first_of_block_ = 0;  // groups from here on are certain to be needed wherever this block runs
  DenseMap<const Value*, unsigned> position_;
};

// Moves the computation of `value` before `at` if it stands later in the same block and consists of plain arithmetic.
bool Planner::make_available(Value* value, Instruction* at, unsigned depth) {
  auto* inst = dyn_cast<Instruction>(value);
  if (!inst || inst->getParent() != at->getParent() || isa<PHINode>(inst)) return true;
  if (inst == at) return false;
  unsigned limit = position_.lookup(at);
  if (position_.lookup(inst) <= limit) return true;
  bool plain = isa<GetElementPtrInst>(inst) || isa<CastInst>(inst) ||
               (isa<BinaryOperator>(inst) && !inst->isIntDivRem());
  if (!plain || depth == 0) return false;
  for (Value* operand : inst->operands()) {
    if (!make_available(operand, at, depth - 1)) return false;
  }
  inst->moveBefore(at);
  position_[inst] = limit;
  return true;
}

void Planner::add_to_bundle(unsigned group, Instruction* inst, BasicBlock& block) {
  constexpr unsigned kDepth = 8;
  if (current_ < 0 || !make_available(groups_[group].anchor, bundles_[current_].before, kDepth)) {
    current_ = static_cast<int>(bundles_.size());
    bundles_.push_back({inst, {}, {}, false});
    events_[&block].push_back({true, static_cast<unsigned>(current_)});
  }
  bundles_[current_].groups.push_back(group);
}

void Planner::scan_accesses(ArrayRef<Access> accesses, BasicBlock& block) {
  Instruction* inst = accesses.front().inst;
  if (accesses.front().alone || !opt_merge || active_.size() + accesses.size() > kMaxSegmentGroups) end_segment();
  for (const Access& access : accesses) {
    Group wanted(access, layout_);
    unsigned found = ~0u;
    for (unsigned candidate : active_) {
      Group& group = groups_[candidate];
      if (group.covers(wanted) || (candidate >= first_of_block_ && group.absorb(wanted))) {
        found = candidate;
        break;
      }
    }
    if (found == ~0u && active_.size() < kMaxSegmentGroups) {
      found = static_cast<unsigned>(groups_.size());
      groups_.push_back(wanted);
      active_.push_back(found);
      add_to_bundle(found, inst, block);
    }
    if (found != ~0u) events_[&block].push_back({false, found});
  }
  if (accesses.front().alone || !opt_merge) end_segment();
}

void Planner::scan(BasicBlock& block) {
  end_segment();
  first_of_block_ = static_cast<unsigned>(groups_.size());
  position_.clear();
  if (BasicBlock* above = block.getSinglePredecessor()) {
    if (auto found = at_end_.find(above); found != at_end_.end()) active_ = found->second;
  }
  SmallVector<Instruction*, 32> instructions;
  for (Instruction& inst : block) {
    instructions.push_back(&inst);
    position_[&inst] = instructions.size();
  }
  for (Instruction* inst : instructions) {
    auto found = accesses_.find(inst);
    if (found != accesses_.end()) {
      scan_accesses(found->second, block);
    } else if (ends_segment(*inst)) {
      end_segment();
    }
  }
  if (polls_.contains(&block)) {
    // Before a terminator that is a call, nothing is held any more; the poll still has its place here.
    events_[&block].push_back({true, static_cast<unsigned>(bundles_.size())});
    bundles_.push_back({block.getTerminator(), {}, {}, true});
  }
  at_end_[&block] = active_;
}

// Blocks come in post-order, so that live_out_ is complete when a block is reached.
void Planner::find_held(BasicBlock& block) {
  GroupSet live = live_out_.lookup(&block);
  auto add = [&](unsigned group) {
    if (!is_contained(live, group)) live.push_back(group);
  };
  for (const Event& event : reverse(events_[&block])) {
    if (!event.is_bundle) {
      add(event.index);
      continue;
    }
    Bundle& bundle = bundles_[event.index];
    erase_if(live, [&](unsigned group) { return is_contained(bundle.groups, group); });
    bundle.held = live;
  }
  if (live.empty()) return;
  GroupSet& above = live_out_[block.getSinglePredecessor()];
  for (unsigned group : live) {
    if (!is_contained(above, group)) above.push_back(group);
  }
}

void Planner::collect(BasicBlock& block, std::vector<Insertion>& result) {
  ArrayRef<Range> around = loop_ranges_(&block);
  for (const Event& event : events_[&block]) {
    if (!event.is_bundle) continue;
    const Bundle& bundle = bundles_[event.index];
    Insertion insertion;
    insertion.before = bundle.before;
    insertion.where = bundle.before->getDebugLoc();
    for (unsigned group : bundle.groups) insertion.own.push_back(groups_[group].check());
    for (unsigned group : bundle.held) insertion.held.push_back(groups_[group].range());
    insertion.held.append(around.begin(), around.end());
    result.push_back(std::move(insertion));
  }
}

}  // namespace

std::vector<Insertion> plan_segments(Function& function, ArrayRef<Access> accesses, const PollPlan& polls,
                                     const LoopRanges& loop_ranges) {
  return Planner(function, accesses, polls, loop_ranges).run();
}

}  // namespace ana
