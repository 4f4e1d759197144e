// Who wants the events of a replayed program (live_reference.h), in their order.
#pragma once
#include <span>

#include "trace/live_reference.h"
#include "trace/result.h"

namespace ana {

// The stamp of what translated code has noted: what is told together has one for all.
constexpr uint64_t kNotedStamp = ~0ull;

class ToldSink {
 public:
  virtual ~ToldSink() = default;
  // Events of one slot that follow each other directly. They are gone when it returns.
  virtual void take(uint32_t slot, std::span<const LiveReference> events) = 0;
  // An error ends the replay.
  virtual Status status() const { return {}; }
  // Also ends the replay, when what it wanted has been told.
  virtual bool has_enough() const { return false; }
};

}  // namespace ana
