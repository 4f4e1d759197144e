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

// Places a number of steps behind the starts of strides. All strides share the number, or its product with their step, so
// that cold calls need one register more for each stride. What an address can scale by itself is not multiplied.
class ScaledIndex {
 public:
  ScaledIndex(IRBuilder<>& builder, Value* index) : builder_(builder), index_(index) {}  // null: 0

  Place place(Value* start, int64_t step) {
    if (!index_ || step == 0) return {start};
    if (step == 1 || step == 2 || step == 4 || step == 8) return {start, 0, index_, step};
    Value*& product = products_[step];
    if (!product) product = builder_.CreateMul(index_, ConstantInt::get(index_->getType(), step, true));
    return {start, 0, product};
  }

 private:
  IRBuilder<>& builder_;
  Value* index_;
  SmallDenseMap<int64_t, Value*, 4> products_;
};

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
bool LoopPlans::Stride::is_dense() const { return std::abs(step) - extent() < static_cast<int64_t>(kLineBytes); }

bool LoopPlans::Stride::take(const Stride& other) {
  if (group.key != other.group.key || step != other.step) return false;
  if (group.covers(other.group)) {
    blocks.append(other.blocks.begin(), other.blocks.end());
    return true;
  }
  if (group.write != other.group.write || is_sure != other.is_sure) return false;
  int64_t gap = std::max(other.group.low - group.high, group.low - other.group.high);
  if (gap >= static_cast<int64_t>(kLineBytes)) return false;
  group.low = std::min(group.low, other.group.low);
  group.high = std::max(group.high, other.group.high);
  blocks.append(other.blocks.begin(), other.blocks.end());
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
    Group& group = plan.invariant[index].group;
    if (group.covers(wanted) || group.absorb(wanted)) break;
  }
  if (index == plan.invariant.size()) {
    if (index >= kMaxInvariant) return {};
    plan.invariant.push_back({wanted});
  }
  return {Cover::kInvariant, index_.lookup(loop), index};
}

LoopPlans::Cover LoopPlans::add_stride(const Access& access, bool is_sure) {
  Loop* loop = loops_.getLoopFor(access.inst->getParent());
  if (!loop || !plan_of(loop).back_edges || runs_in_every_iteration(*access.inst, *loop) != is_sure) return {};
  int64_t distance = 0;
  Value* base = GetPointerBaseWithConstantOffset(access.pointer, distance, layout_);
  Stride wanted{Group(access, layout_)};
  wanted.is_sure = is_sure;
  wanted.blocks.push_back(access.inst->getParent());
  if (!split_step(evolution_.getSCEV(base), *loop, wanted)) return {};
  return add_stride(index_.lookup(loop), wanted);
}

LoopPlans::Cover LoopPlans::add_stride(size_t plan, const Stride& wanted) {
  std::vector<Stride>& strides = plans_[plan].strides;
  size_t index = 0;
  while (index < strides.size() && !strides[index].take(wanted)) ++index;
  if (index == strides.size()) {
    if (index >= kMaxStrides) return {};
    strides.push_back(wanted);
  }
  return {Cover::kStride, plan, index};
}

// Finds start and step of `address` in `loop`, if the start can be had before the loop.
bool LoopPlans::split_step(const SCEV* address, Loop& loop, Stride& stride) {
  stride.start = address;
  stride.step = 0;
  if (!evolution_.isLoopInvariant(address, &loop)) {
    auto* recurrence = dyn_cast<SCEVAddRecExpr>(address);
    if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine()) return false;
    auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution_));
    if (!step || step->getAPInt().getSignificantBits() > 31) return false;
    stride.start = recurrence->getStart();
    stride.step = step->getAPInt().getSExtValue();
  }
  return !is_costly(stride.start) && expander_.isSafeToExpandAt(stride.start, loop.getLoopPreheader()->getTerminator());
}

// Every way through an iteration comes by one of the stride's accesses.
bool LoopPlans::is_needed(const Stride& stride, const Loop& loop) const {
  if (stride.is_sure) return true;
  SmallPtrSet<const BasicBlock*, 16> seen(stride.blocks.begin(), stride.blocks.end());
  SmallVector<const BasicBlock*, 16> work{loop.getHeader()};
  while (!work.empty()) {
    const BasicBlock* block = work.pop_back_val();
    if (!loop.contains(block) || !seen.insert(block).second) continue;
    if (block == loop.getLoopLatch()) return false;
    work.append(succ_begin(block), succ_end(block));
  }
  return true;
}

// What a loop of constant length covers as a whole becomes an access of the loop around it, and so does what is the same
// in all its iterations.
void LoopPlans::move_outwards(Plan& plan) {
  Loop* outer = plan.loop->getParentLoop();
  if (!outer || !plan_of(outer).back_edges) return;
  for (Invariant& invariant : plan.invariant) {
    if (outer->isLoopInvariant(invariant.group.anchor)) continue;  // but not in every iteration of that
    invariant.moved = move_to(*outer, *plan.loop, {invariant.group}, evolution_.getSCEV(invariant.group.anchor));
  }
  uint64_t iterations = plan.back_edges ? evolution_.getSmallConstantTripCount(plan.loop) : 0;
  if (!iterations) return;
  for (Stride& stride : plan.strides) {
    int64_t reach = static_cast<int64_t>(iterations - 1) * stride.step;
    if (!stride.is_dense() || std::abs(reach) > kStripBytes || !is_needed(stride, *plan.loop)) continue;
    Stride wider{stride.group};
    wider.group.low += std::min<int64_t>(reach, 0);
    wider.group.high += std::max<int64_t>(reach, 0);
    wider.group.rebase(evolution_, stride.start);
    stride.moved = move_to(*outer, *plan.loop, wider, stride.start);
  }
}

LoopPlans::Cover LoopPlans::move_to(Loop& outer, const Loop& inner, Stride stride, const SCEV* start) {
  stride.is_sure = dominators_.dominates(inner.getHeader(), outer.getLoopLatch());
  stride.blocks.push_back(inner.getHeader());
  if (stride.extent() > kStripBytes || !split_step(start, outer, stride) || !stride.is_dense()) return {};
  return add_stride(index_.lookup(&outer), stride);
}

uint64_t LoopPlans::iterations_inside(const Plan& plan) const {
  uint64_t sum = 0;
  for (const Loop* inner : *plan.loop) sum += plan_of(inner).iterations;
  return std::max<uint64_t>(sum, 1);
}

// In loops of loops, the inner ones must not poll either.
bool LoopPlans::can_skip_polls(const Plan& plan) const {
  return opt_skip_polls && plan.is_quiet && !plan.has_checks &&
         all_of(*plan.loop, [&](const Loop* inner) { return plan_of(inner).iterations != 0; });
}

// How long the strips are, if there are any: for ranges, or only to poll less often.
void LoopPlans::decide_strips(Plan& plan) {
  bool skip = can_skip_polls(plan);
  if (!plan.back_edges || (plan.strides.empty() && !skip)) return;
  uint64_t inside = skip ? iterations_inside(plan) : 1;
  uint64_t limit = std::max<uint64_t>((plan.strides.empty() ? kStripIterations : kStripBytes) / inside, 1);
  uint64_t most = evolution_.getSmallConstantMaxTripCount(plan.loop);
  plan.is_tiny = most != 0;
  for (const Stride& stride : plan.strides) {
    int64_t extent = stride.extent(), step = std::abs(stride.step);
    if (step) limit = std::min<uint64_t>(limit, std::max<int64_t>(kStripBytes - extent, 0) / step + 1);
    plan.is_tiny &= most <= kLineBytes && static_cast<int64_t>(most - 1) * step + extent <= int64_t{kLineBytes};
  }
  plan.is_short = most && most <= limit;
  if (!plan.is_short) plan.strip_limit = limit;
  bool has_own = !plan.strides.empty() || !plan.invariant.empty();
  if (plan.is_short && skip && !has_own) plan.iterations = most * inside;
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
  if (plan.loop->getParentLoop()) plan.around = plan_of(plan.loop->getParentLoop()).inside;
  for (const Invariant& invariant : plan.invariant) plan.around.push_back(invariant.group.range());
  plan.inside = plan.around;
  Instruction* at = plan.loop->getLoopPreheader() ? plan.loop->getLoopPreheader()->getTerminator() : nullptr;
  Value* done = nullptr;  // none
  Value* last = plan.back_edges_value;
  if (plan.strip_limit) {
    Strips strips = make_strips(*plan.loop, plan.back_edges_value, plan.strip_limit);
    plan.strip = strips.strip;
    plan.next = strips.next;
    strip_blocks_[plan.strip] = strip_blocks_[plan.next] = index_.lookup(plan.loop);
    at = plan.strip->getTerminator();
    done = strips.done;
    last = strips.last;
  }
  if (plan.strides.empty()) return;
  IRBuilder<> builder(at);
  ScaledIndex from(builder, done), to(builder, last);
  for (const Stride& stride : plan.strides) {
    const Group& group = stride.group;
    Place first = from.place(stride.start_value, stride.step), end = to.place(stride.start_value, stride.step);
    if (stride.step < 0) std::swap(first, end);
    first.offset = group.low - group.anchor_at;
    end.offset = group.high - group.anchor_at;
    plan.strip_checks.push_back({{first, end, group.write}, plan.is_tiny ? Extent::kTwoLines : Extent::kScan});
    plan.inside.push_back(plan.strip_checks.back().range);
  }
}

void LoopPlans::find_counted_loops() {
  if (!opt_ranges) return;
  for (Plan& plan : plans_) {
    if (!plan.is_quiet || !can_be_stripped(*plan.loop)) continue;
    const SCEV* count = evolution_.getBackedgeTakenCount(plan.loop);
    if (isa<SCEVCouldNotCompute>(count) || evolution_.getTypeSizeInBits(count->getType()) > 64) continue;
    Instruction* at = plan.loop->getLoopPreheader()->getTerminator();
    if (!is_costly(count) && expander_.isSafeToExpandAt(count, at)) plan.back_edges = count;
  }
}

// Writes first: the reads that they cover need no range of their own.
void LoopPlans::cover(const std::vector<Access>& accesses, std::vector<Cover>& covers) {
  for (bool is_sure : {true, false}) {
    for (bool write : {true, false}) {
      for (size_t i = 0; i < accesses.size(); ++i) {
        if (accesses[i].write != write || accesses[i].alone || covers[i].kind != Cover::kNothing) continue;
        if (is_sure) covers[i] = add_invariant(accesses[i]);
        if (covers[i].kind == Cover::kNothing) covers[i] = add_stride(accesses[i], is_sure);
      }
    }
  }
  for (Plan& plan : reverse(plans_)) move_outwards(plan);
}

// Gives back what is sparse or not needed, and what would be too much to be held: to the loops inside, from which it
// came, or to the accesses.
void LoopPlans::keep_within_limits(const std::vector<Access>& accesses, std::vector<Cover>& covers) {
  std::vector<size_t> held(plans_.size());
  std::vector<std::vector<Cover>> invariant(plans_.size()), strides(plans_.size());  // what serves them
  auto served = [&](const Cover& cover) -> Cover {
    if (cover.kind == Cover::kNothing) return {};
    return (cover.kind == Cover::kInvariant ? invariant : strides)[cover.plan][cover.index];
  };
  for (size_t i = 0; i < plans_.size(); ++i) {
    Plan& plan = plans_[i];
    const Loop* parent = plan.loop->getParentLoop();
    held[i] = parent ? held[index_.lookup(parent)] : 0;
    auto keep = [&](auto& old, Cover::Kind kind, std::vector<Cover>& serving, auto is_useful) {
      std::remove_reference_t<decltype(old)> kept;
      for (auto& item : old) {
        serving.push_back(served(item.moved));
        if (serving.back().kind != Cover::kNothing || held[i] >= kMaxLoopRanges || !is_useful(item)) continue;
        serving.back() = {kind, i, kept.size()};
        kept.push_back(item);
        ++held[i];
      }
      old = std::move(kept);
    };
    keep(plan.invariant, Cover::kInvariant, invariant[i], [](const Invariant&) { return true; });
    keep(plan.strides, Cover::kStride, strides[i],
         [&](const Stride& stride) { return stride.is_dense() && is_needed(stride, *plan.loop); });
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    covers[i] = served(covers[i]);
    const Loop* loop = loops_.getLoopFor(accesses[i].inst->getParent());
    if (covers[i].kind == Cover::kNothing && loop) plan_of(loop).has_checks = true;
  }
  for (Plan& plan : reverse(plans_)) {
    if (!plan.loop->getParentLoop()) continue;
    bool checks = plan.has_checks || !plan.strides.empty() || !plan.invariant.empty();
    plan_of(plan.loop->getParentLoop()).has_checks |= checks;
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
  for (Plan& plan : reverse(plans_)) decide_strips(plan);
  for (Plan& plan : plans_) expand(plan);
  for (Plan& plan : plans_) transform(plan);
}

std::vector<Insertion> LoopPlans::insertions() const {
  std::vector<Insertion> result;
  for (const Plan& plan : plans_) {
    Insertion before;
    before.where = plan.loop->getStartLoc();
    if (const Loop* parent = plan.loop->getParentLoop()) before.held = plan_of(parent).inside;
    for (const Invariant& invariant : plan.invariant) before.own.push_back(invariant.group.check());
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

const Loop* LoopPlans::quiet_loop_around(const BasicBlock* block) const {
  auto made = strip_blocks_.find(block);
  const Loop* found = nullptr;
  const Loop* loop = made != strip_blocks_.end() ? plans_[made->second].loop : loops_.getLoopFor(block);
  for (; loop && plan_of(loop).is_quiet; loop = loop->getParentLoop()) found = loop;
  return found;
}

}  // namespace ana
