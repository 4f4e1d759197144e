// What the processes that the program starts print: the program's side of trace/relay_control.h.
//
// A program that has started none finds g_relaying false, and pays a load and a branch for each write that is shown.
// After that, whenever it writes something that is shown, or hears that a child has ended, it waits until the relay has
// copied what is in the channels, and logs how much that is if it is more than the last time. All of this is in the
// order of outputs (WellKnown::kOutput). In replay the same values say what is to be shown.
#pragma once
#include <stdint.h>

#include "runtime/host/slot.h"

namespace ana {

extern bool g_relaying;

// At the start: descriptors of the host's own.
void relay_init();
// Record, before a process is started, in a blocked thread: somebody copies from then on.
void relay_start();
// In a forked child, before it runs the program's code: what is shown are the channels. They have no other name there.
void relay_enter_child();
// The same for a child that somebody else makes: calls of dup2(from, to). At most `most`.
uint32_t relay_copies(int (*pairs)[2], uint32_t most);
// The host's own descriptors besides the session's; null: no such one.
constexpr uint32_t kRelayDescriptors = 2 * kChannels;
int* relay_descriptor(uint32_t index);

// Around a write of a blocked thread to a descriptor that is shown.
class RelayPause {
 public:
  explicit RelayPause(bool needed) {
    if (needed && g_relaying) begin();
  }
  // The relay goes on.
  void end();
  // After the thread has gone on as well. Once.
  void log(Slot& slot) const;

 private:
  void begin();
  bool held_ = false, known_ = false;
  uint64_t bytes_[kChannels];
};

// Replay, where log() is: shows what came before.
void relay_show(Slot& slot);
// The same at the end of the program: shows all the rest.
void relay_show_rest();
// Inside an operation: a child has ended, and what it printed comes before what the program does next.
void relay_catch_up(Slot& slot);

}  // namespace ana
