// The dependences between the threads of an execution, exact to the byte (Jiang 2015, III-D2: deduced after the fact, from
// all references in their order): a read depends on the last write of what it reads, a write on the last write and on the
// reads since. Who reads and writes at once, as exchanges do, depends on the last write in both ways. Operations on objects
// are writes to a number of their own (runtime/host/order/tracing.h).
//
// Reduced: only those that do not follow from others and from the order in each thread; of two between the same references
// the one that carries a value. What is left is the transitive reduction between threads, Netzer's frontier races.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/byte_table.h"
#include "trace/told_sink.h"

namespace ana::dependences {

enum class Kind : uint8_t { raw, waw, war };

// A reference. A thread's references are numbered from 1; several may belong to one event.
struct Reference {
  uint32_t slot = 0;
  uint64_t number = 0;  // 0: none
  uint64_t count = 0;   // the event, with the slot
  uint64_t site = 0;
  // Of an operation on an object: what it is, kAccess if it means nothing to the program; and the program's address of the
  // object, if it has one. Objects may share a number.
  Told operation = Told::kAccess;
  uint64_t object = 0;
};

struct Dependence {
  Kind kind;
  Reference from, to;
  uint64_t address, bytes;  // that they have in common, of the first such range
  bool object;              // an operation on an object, whose number the address is
};

class Dependences final : public ToldSink {
 public:
  using Use = std::function<void(const Dependence&)>;
  Dependences(bool reduced, Use use) : reduced_(reduced), use_(std::move(use)) {}

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  uint64_t references() const { return references_; }

 private:
  struct History {
    Reference write;
    std::vector<Reference> reads;  // since; the last of each slot
  };
  using Clock = std::vector<uint64_t>;  // of each slot the last reference that comes before
  struct Past {
    uint64_t number;
    Clock clock;
  };
  struct Thread {
    uint64_t references = 0;
    std::vector<Past> pasts;  // what came before, from the reference of this number on
  };

  void take_one(uint32_t slot, const LiveReference& event);
  void add(Kind kind, const Reference& from, const Reference& to, uint64_t first, uint64_t last, bool object);
  void reduce(uint32_t slot);
  const Clock& clock_at(const Reference& reference) const;
  static bool covers(const Clock& clock, const Reference& reference) {
    return reference.slot < clock.size() && clock[reference.slot] >= reference.number;
  }

  bool reduced_;
  Use use_;
  ByteTable<History> histories_;
  std::vector<Thread> threads_;
  std::vector<Dependence> found_;  // of the present reference
  uint64_t references_ = 0;
};

}  // namespace ana::dependences
