#include "instrument/hoist.h"

#include <algorithm>

#include "instrument/options.h"
#include "instrument/select.h"
#include "instrument/strip.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace ana {
namespace {

constexpr int64_t kStripBytes = 4096;
constexpr uint64_t kStripIterations = 1024;  // of loops that only count
constexpr size_t kMaxStrides = 12;
constexpr size_t kMaxInvariant = 16;

// A division by something that is not known costs more than what strips save.
bool is_costly(const SCEV* expression) {
  return SCEVExprContains(expression, [](const SCEV* part) {
    auto* division = dyn_cast<SCEVUDivExpr>(part);
    return division && !isa<SCEVConstant>(division->getRHS());
  });
}

}  // namespace

LoopPlans::LoopPlans(Function& function, LoopInfo& loops, DominatorTree& dominators, ScalarEvolution& evolution)
    : function_(function), loops_(loops), dominators_(dominators), evolution_(evolution),
      layout_(function.getParent()->getDataLayout()), expander_(evolution, layout_, "ana") {
  for (Loop* loop : loops.getLoopsInPreorder()) {
    index_[loop] = plans_.size();
    plans_.emplace_back().loop = loop;
  }
}

// Every line of the range over several iterations is touched.
bool LoopPlans::Stride::is_dense() const {
  return std::abs(step) - (group.high - group.low + 1) < static_cast<int64_t>(kLineBytes);
}

bool LoopPlans::Stride::take(const Stride& other) {
  if (group.key != other.group.key || step != other.step) return false;
  if (group.covers(other.group)) return true;
  if (group.write != other.group.write) return false;
  int64_t gap = std::max(other.group.low - group.high, group.low - other.group.high);
  if (gap >= static_cast<int64_t>(kLineBytes)) return false;
  group.low = std::min(group.low, other.group.low);
  group.high = std::max(group.high, other.group.high);
  return true;
}

void LoopPlans::find_quiet_loops() {
  for (BasicBlock& block : function_) {
    Loop* loop = loops_.getLoopFor(&block);
    if (!loop || none_of(block, [](const Instruction& inst) { return ends_segment(inst); })) continue;
    for (; loop && plan_of(loop).is_quiet; loop = loop->getParentLoop()) plan_of(loop).is_quiet = false;
  }
}

bool LoopPlans::runs_in_every_iteration(const Instruction& inst, const Loop& loop) const {
  BasicBlock* latch = loop.getLoopLatch();
  return latch && dominators_.dominates(inst.getParent(), latch);
}

Loop* LoopPlans::outermost_invariant(const Access& access) const {
  int64_t distance = 0;
  const Value* base = GetPointerBaseWithConstantOffset(access.pointer, distance, layout_);
  Loop* found = nullptr;
  for (Loop* loop = loops_.getLoopFor(access.inst->getParent()); loop; loop = loop->getParentLoop()) {
    if (!plan_of(loop).is_quiet || !loop->isLoopInvariant(base) || !loop->getLoopPreheader() ||
        !runs_in_every_iteration(*access.inst, *loop)) {
      break;
    }
    found = loop;
  }
  return found;
}

LoopPlans::Cover LoopPlans::add_invariant(const Access& access) {
  Loop* loop = outermost_invariant(access);
  if (!loop || !opt_hoist) return {};
  Plan& plan = plan_of(loop);
  Group wanted(access, layout_);
  size_t index = 0;
  for (; index < plan.invariant.size(); ++index) {
    if (plan.invariant[index].covers(wanted) || plan.invariant[index].absorb(wanted)) break;
  }
  if (index == plan.invariant.size()) {
    if (index >= kMaxInvariant) return {};
    plan.invariant.push_back(wanted);
  }
  return {Cover::kInvariant, index_.lookup(loop), index};
}

LoopPlans::Cover LoopPlans::add_stride(const Access& access) {
  Loop* loop = loops_.getLoopFor(access.inst->getParent());
  if (!loop || !loop->isInnermost()) return {};
  Plan& plan = plan_of(loop);
  if (!plan.back_edges || !runs_in_every_iteration(*access.inst, *loop)) return {};
  int64_t distance = 0;
  Value* base = GetPointerBaseWithConstantOffset(access.pointer, distance, layout_);
  auto* address = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(base));
  if (!address || address->getLoop() != loop || !address->isAffine()) return {};
  auto* step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution_));
  if (!step || step->getAPInt().getSignificantBits() > 31 || step->isZero()) return {};
  Instruction* at = loop->getLoopPreheader()->getTerminator();
  if (is_costly(address->getStart()) || !expander_.isSafeToExpandAt(address->getStart(), at)) return {};
  Stride wanted{Group(access, layout_), address->getStart(), step->getAPInt().getSExtValue()};
  size_t index = 0;
  while (index < plan.strides.size() && !plan.strides[index].take(wanted)) ++index;
  if (index == plan.strides.size()) {
    if (index >= kMaxStrides) return {};
    plan.strides.push_back(wanted);
  }
  return {Cover::kStride, index_.lookup(loop), index};
}

bool LoopPlans::can_skip_polls(const Plan& plan) { return opt_skip_polls && plan.is_quiet && !plan.has_checks; }

// How long the strips are, if there are any: for ranges, or only to poll less often.
void LoopPlans::decide_strips(Plan& plan) {
  if (!plan.back_edges || (plan.strides.empty() && !can_skip_polls(plan))) return;
  int64_t limit = plan.strides.empty() ? kStripIterations : kStripBytes;
  uint64_t most = evolution_.getSmallConstantMaxTripCount(plan.loop);
  plan.is_tiny = most != 0;
  for (const Stride& stride : plan.strides) {
    int64_t extent = stride.group.high - stride.group.low + 1;
    int64_t step = std::abs(stride.step);
    limit = std::min(limit, std::max<int64_t>(kStripBytes - extent, 0) / step + 1);
    plan.is_tiny &= most <= kLineBytes && static_cast<int64_t>(most - 1) * step + extent <= int64_t{kLineBytes};
  }
  plan.is_short = most && most <= static_cast<uint64_t>(limit);
  if (!plan.is_short) plan.strip_limit = static_cast<uint64_t>(limit);
}

void LoopPlans::expand(Plan& plan) {
  if (plan.strides.empty() && !plan.strip_limit) return;
  Instruction* at = plan.loop->getLoopPreheader()->getTerminator();
  Type* i64 = Type::getInt64Ty(function_.getContext());
  const SCEV* count = evolution_.getTruncateOrZeroExtend(plan.back_edges, i64);
  plan.back_edges_value = expander_.expandCodeFor(count, i64, at->getIterator());
  for (Stride& stride : plan.strides) {
    stride.start_value = expander_.expandCodeFor(stride.start, stride.group.anchor->getType(), at->getIterator());
  }
}

void LoopPlans::transform(Plan& plan) {
  if (plan.loop->getParentLoop()) plan.around = plan_of(plan.loop->getParentLoop()).around;
  for (const Group& group : plan.invariant) plan.around.push_back(group.range());
  plan.inside = plan.around;
  Type* i64 = Type::getInt64Ty(function_.getContext());
  Instruction* at = plan.loop->getLoopPreheader() ? plan.loop->getLoopPreheader()->getTerminator() : nullptr;
  Value* done = ConstantInt::get(i64, 0);
  Value* more = plan.back_edges_value;
  if (plan.strip_limit) {
    Strips strips = make_strips(*plan.loop, plan.back_edges_value, plan.strip_limit);
    plan.strip = strips.strip;
    plan.next = strips.next;
    strip_blocks_[plan.strip] = strip_blocks_[plan.next] = index_.lookup(plan.loop);
    at = plan.strip->getTerminator();
    done = strips.done;
    more = strips.more;
  }
  if (plan.strides.empty()) return;
  IRBuilder<> builder(at);
  for (const Stride& stride : plan.strides) {
    const Group& group = stride.group;
    Value* step = ConstantInt::get(i64, stride.step, true);
    Value* here = builder.CreateAdd(builder.CreatePtrToInt(stride.start_value, i64), builder.CreateMul(done, step));
    Value* there = builder.CreateAdd(here, builder.CreateMul(more, step));
    if (stride.step < 0) std::swap(here, there);
    Range range{here, group.low - group.anchor_at, there, group.high - group.anchor_at, group.write};
    plan.strip_checks.push_back({range, plan.is_tiny ? Extent::kTwoLines : Extent::kScan});
    plan.inside.push_back(range);
  }
}

void LoopPlans::find_counted_loops() {
  if (!opt_ranges) return;
  for (Plan& plan : plans_) {
    if (!plan.is_quiet || !plan.loop->isInnermost() || !can_be_stripped(*plan.loop)) continue;
    const SCEV* count = evolution_.getBackedgeTakenCount(plan.loop);
    if (isa<SCEVCouldNotCompute>(count) || evolution_.getTypeSizeInBits(count->getType()) > 64) continue;
    Instruction* at = plan.loop->getLoopPreheader()->getTerminator();
    if (!is_costly(count) && expander_.isSafeToExpandAt(count, at)) plan.back_edges = count;
  }
}

// Writes first: the reads that they cover need no range of their own.
void LoopPlans::cover(const std::vector<Access>& accesses, std::vector<Cover>& covers) {
  for (bool write : {true, false}) {
    for (size_t i = 0; i < accesses.size(); ++i) {
      if (accesses[i].write != write || accesses[i].alone) continue;
      covers[i] = add_invariant(accesses[i]);
      if (covers[i].kind == Cover::kNothing) covers[i] = add_stride(accesses[i]);
    }
  }
}

// Gives back what is sparse, and what would be too much to be held.
void LoopPlans::keep_within_limits(const std::vector<Access>& accesses, std::vector<Cover>& covers) {
  std::vector<size_t> held(plans_.size());
  for (size_t i = 0; i < plans_.size(); ++i) {
    Plan& plan = plans_[i];
    const Loop* parent = plan.loop->getParentLoop();
    size_t around = parent ? held[index_.lookup(parent)] : 0;
    size_t room = kMaxLoopRanges - around;
    if (plan.invariant.size() > room) plan.invariant.erase(plan.invariant.begin() + room, plan.invariant.end());
    held[i] = around + plan.invariant.size();
  }
  std::vector<std::vector<size_t>> kept(plans_.size());  // the strides' new places, or kMaxStrides
  for (size_t i = 0; i < plans_.size(); ++i) {
    std::vector<Stride> strides;
    for (const Stride& stride : plans_[i].strides) {
      bool keep = stride.is_dense() && held[i] + strides.size() < kMaxLoopRanges;
      kept[i].push_back(keep ? strides.size() : kMaxStrides);
      if (keep) strides.push_back(stride);
    }
    plans_[i].strides = std::move(strides);
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    Cover& cover = covers[i];
    bool lost = (cover.kind == Cover::kInvariant && cover.index >= plans_[cover.plan].invariant.size()) ||
                (cover.kind == Cover::kStride && kept[cover.plan][cover.index] == kMaxStrides);
    if (lost) cover = {};
    const Loop* loop = loops_.getLoopFor(accesses[i].inst->getParent());
    if (cover.kind == Cover::kNothing && loop) plan_of(loop).has_checks = true;
  }
}

void LoopPlans::plan(std::vector<Access>& accesses) {
  find_quiet_loops();
  find_counted_loops();
  std::vector<Cover> covers(accesses.size());
  cover(accesses, covers);
  keep_within_limits(accesses, covers);
  std::vector<Access> left;
  for (size_t i = 0; i < accesses.size(); ++i) {
    if (covers[i].kind == Cover::kNothing) left.push_back(accesses[i]);
  }
  accesses = std::move(left);
  for (Plan& plan : plans_) decide_strips(plan);
  for (Plan& plan : plans_) expand(plan);
  for (Plan& plan : plans_) transform(plan);
}

std::vector<Insertion> LoopPlans::insertions() const {
  std::vector<Insertion> result;
  for (const Plan& plan : plans_) {
    Insertion before;
    before.where = plan.loop->getStartLoc();
    if (const Loop* parent = plan.loop->getParentLoop()) before.held = plan_of(parent).around;
    for (const Group& group : plan.invariant) before.own.push_back(group.check());
    if (!plan.strip) {
      before.own.append(plan.strip_checks.begin(), plan.strip_checks.end());
    } else if (!plan.strip_checks.empty()) {
      result.push_back({plan.strip->getTerminator(), plan.strip_checks, plan.around, before.where});
    }
    if (before.own.empty()) continue;
    before.before = plan.loop->getLoopPreheader()->getTerminator();
    result.push_back(std::move(before));
  }
  return result;
}

void LoopPlans::remove_polls(PollPlan& polls) const {
  SmallPtrSet<const BasicBlock*, 8> superfluous;
  for (const Plan& plan : plans_) {
    bool skip = can_skip_polls(plan) && (plan.is_short || plan.strip);
    if (skip) superfluous.insert(plan.loop->getLoopLatch());
    else if (plan.strip) superfluous.insert(plan.next);
  }
  erase_if(polls.blocks, [&](BasicBlock* block) { return superfluous.contains(block); });
}

ArrayRef<Range> LoopPlans::held_in(const BasicBlock* block) const {
  auto found = strip_blocks_.find(block);
  if (found != strip_blocks_.end()) return plans_[found->second].around;
  const Loop* loop = loops_.getLoopFor(block);
  return loop ? ArrayRef<Range>(plan_of(loop).inside) : ArrayRef<Range>();
}

}  // namespace ana
