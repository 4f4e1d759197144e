// Plans what loops hold: checks of invariant addresses go before a loop, accesses with a constant stride are checked
// by strips of at most 4 KiB. What a loop of a constant length covers as a whole is an access of the loop around it,
// and may be checked there, or further out: the rows of a small matrix are one range. Only in *quiet* loops, in which
// nothing ends a segment, so that what was checked before or at a strip's beginning is lost only in cold calls of the
// loop itself, which get it as part of their held set.
//
// Only what every iteration accesses is covered, here or there in it (both versions of a loop that the vectoriser made
// two of): a permission that is not needed costs other threads a wait.
#pragma once
#include <vector>

#include "instrument/access.h"
#include "instrument/group.h"
#include "instrument/polls.h"
#include "instrument/segments.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace ana {

class LoopPlans {
 public:
  LoopPlans(llvm::Function& function, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
            llvm::ScalarEvolution& evolution);

  // Takes the accesses that loops cover out of `accesses`, and changes the control flow of loops with strips. The
  // analyses are stale afterwards.
  void plan(std::vector<Access>& accesses);

  // The ranges that cold calls in `block` must keep valid.
  llvm::ArrayRef<Range> held_in(const llvm::BasicBlock* block) const;
  // The outermost quiet loop around `block`; null if there is none.
  const llvm::Loop* quiet_loop_around(const llvm::BasicBlock* block) const;
  // The checks before loops and at the beginnings of strips.
  std::vector<Insertion> insertions() const;
  // Takes out the latches that need not poll: those of short loops and of strips without any check inside, and the
  // outer ones of strips that poll inside.
  void remove_polls(PollPlan& polls) const;

 private:
  // What serves an access: the index of one of a loop's groups or strides.
  struct Cover {
    enum Kind : uint8_t { kNothing, kInvariant, kStride } kind = kNothing;
    size_t plan = 0;
    size_t index = 0;
  };
  // Accesses to the same place in every iteration.
  struct Invariant {
    Group group;
    Cover moved = {};  // to a loop further out
  };
  // Accesses with one stride, as a range per strip.
  struct Stride {
    Group group;
    const llvm::SCEV* start = nullptr;  // of the anchor in the first iteration
    int64_t step = 0;                   // 0: in every iteration the same bytes
    llvm::Value* start_value = nullptr;
    bool is_sure = true;  // some access runs in every iteration; else those in `blocks` may, together
    llvm::SmallVector<const llvm::BasicBlock*, 2> blocks = {};
    Cover moved = {};  // to a loop further out
    bool take(const Stride& other);
    bool is_dense() const;
    int64_t extent() const { return group.high - group.low + 1; }
  };
  struct Plan {
    llvm::Loop* loop = nullptr;
    bool is_quiet = true;
    bool has_checks = false;  // some access inside is not covered, or a loop inside has checks of its own
    std::vector<Invariant> invariant;
    std::vector<Stride> strides;
    const llvm::SCEV* back_edges = nullptr;
    llvm::Value* back_edges_value = nullptr;
    uint64_t strip_limit = 0;  // iterations; 0: no strips
    bool is_short = false;     // its whole range is within the limit: no strips, and no poll if nothing is checked
    bool is_tiny = false;      // at most 64 bytes in all
    uint64_t iterations = 0;   // at most, with those of the loops inside, if none of them polls; else 0
    llvm::SmallVector<Range, 4> around;  // held in the whole loop: by outer loops and the invariant ones
    llvm::SmallVector<Range, 4> inside;  // around, and the strip's
    llvm::SmallVector<Check, 4> strip_checks;
    llvm::BasicBlock* strip = nullptr;
    llvm::BasicBlock* next = nullptr;
  };

  void find_quiet_loops();
  bool can_skip_polls(const Plan& plan) const;
  uint64_t iterations_inside(const Plan& plan) const;
  bool runs_in_every_iteration(const llvm::Instruction& inst, const llvm::Loop& loop) const;
  llvm::Loop* outermost_invariant(const Access& access) const;
  Cover add_invariant(const Access& access);
  Cover add_stride(const Access& access, bool is_sure);
  Cover add_stride(size_t plan, const Stride& wanted);
  bool split_step(const llvm::SCEV* address, llvm::Loop& loop, Stride& stride);
  bool is_needed(const Stride& stride, const llvm::Loop& loop) const;
  void move_outwards(Plan& plan);
  Cover move_to(llvm::Loop& outer, const llvm::Loop& inner, Stride stride, const llvm::SCEV* start);
  void find_counted_loops();
  void cover(const std::vector<Access>& accesses, std::vector<Cover>& covers);
  void keep_within_limits(const std::vector<Access>& accesses, std::vector<Cover>& covers);
  void decide_strips(Plan& plan);
  void expand(Plan& plan);
  void transform(Plan& plan);
  Plan& plan_of(const llvm::Loop* loop) { return plans_[index_.lookup(loop)]; }
  const Plan& plan_of(const llvm::Loop* loop) const { return plans_[index_.lookup(loop)]; }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DataLayout& layout_;
  llvm::SCEVExpander expander_;
  std::vector<Plan> plans_;  // outer loops before inner ones
  llvm::DenseMap<const llvm::Loop*, size_t> index_;
  llvm::DenseMap<const llvm::BasicBlock*, size_t> strip_blocks_;  // the blocks that transform() made
};

}  // namespace ana
