// Empties the rings of a recorded program into a StreamWriter. One thread of the recorder uses it.
//
// Each ring is a byte queue with 64-bit positions that only grow; byte p stands at p modulo kRingBytes. The program
// writes bytes, then head (release); we copy them, then write tail. A thread that finds no room rings the doorbell and
// sleeps on the low half of tail. So after each tail we look at the doorbell: either we see that it was rung, and wake
// the thread, or the thread's futex call sees the new tail and does not sleep.
#pragma once
#include <stdint.h>

#include <vector>

#include "trace/host_process.h"
#include "trace/result.h"
#include "trace/stream_writer.h"

namespace ana {

class RingDrain {
 public:
  RingDrain(SharedSession& session, StreamWriter& writer) : session_(session), writer_(writer) {}

  // Takes what there is. Afterwards seen_doorbell() is the value to sleep on.
  Status pass();
  uint32_t seen_doorbell() const { return this_bell_; }

 private:
  Status drain_slot(uint32_t slot);
  void release(SlotShared& slot, uint64_t tail);

  SharedSession& session_;
  StreamWriter& writer_;
  uint32_t last_bell_ = 0;  // at the start of the pass before
  uint32_t this_bell_ = 0;
};

}  // namespace ana
