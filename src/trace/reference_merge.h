// Puts what a replayed program tells, which comes through a ring for each slot, into the order of its stamps and gives it to
// a ToldSink. One thread of the tool uses it.
//
// Stamps have no gaps, so the next reference of all is known by its number. Who has it has written it or is about to: a
// thread waits for room only behind references of its own, which have smaller stamps and so have been taken, or are in
// reach. Rings are therefore all that is ever buffered; threads that are ahead wait for us, and we for the one that is
// behind. Waking is that of ring_drain.h.
#pragma once
#include <stdint.h>

#include <queue>
#include <utility>
#include <vector>

#include "trace/host_process.h"
#include "trace/known_operands.h"
#include "trace/live_reference.h"
#include "trace/references.h"
#include "trace/result.h"
#include "trace/told_sink.h"

namespace ana {

// Into a file of references (replay --trace-all).
class ReferenceFileSink final : public ToldSink {
 public:
  explicit ReferenceFileSink(ReferenceWriter& writer) : writer_(writer) {}
  void take(uint32_t slot, std::span<const LiveReference> events) override;
  Status status() const override { return writer_.status(); }

 private:
  ReferenceWriter& writer_;
};

class ReferenceMerge {
 public:
  // `operands`: of the program's code, if it is followed by a translation. They have to stay.
  ReferenceMerge(SharedSession& session, ToldSink& sink, const std::vector<KnownOperand>& operands)
      : session_(session), sink_(sink), operands_(operands) {}

  // Takes what there is in order, up to some number; says how many. Afterwards seen_doorbell() is the value to sleep on.
  Result<uint64_t> pass();
  uint32_t seen_doorbell() const { return this_bell_; }
  // After the program's end, when pass() has found nothing more: whether that was all.
  Status check_complete() const;

 private:
  struct Ring {
    uint64_t at = 0, head = 0;  // what has been taken, what is known to be there; in bytes, as in SlotShared
    bool waits = false;         // has an entry in first_
    uint64_t announced = 0;     // an access there has been told by its check, and comes once more ...
    bool atomic_only = false;   // ... from an instruction that is atomic by itself, unless it has been told before
  };
  using First = std::pair<uint64_t, uint32_t>;  // stamp of a ring's first reference, slot

  Status look(uint32_t slot);
  const LiveReference& first(uint32_t slot) const;
  Status take_next(uint32_t slot);
  void take_events(uint32_t slot);
  Status take_run(uint32_t slot);
  bool expand(uint32_t slot, const CompactReference& from, uint64_t count, LiveReference& to);
  void release(uint32_t slot);

  SharedSession& session_;
  ToldSink& sink_;
  const std::vector<KnownOperand>& operands_;
  std::vector<LiveReference> expanded_;
  std::vector<Ring> rings_;
  std::priority_queue<First, std::vector<First>, std::greater<First>> first_;
  uint64_t next_ = 0;   // stamp
  uint64_t taken_ = 0;  // references
  uint32_t last_bell_ = 0, this_bell_ = 0;
};

}  // namespace ana
