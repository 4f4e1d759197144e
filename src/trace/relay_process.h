// The relay (relay_control.h): a process of the tool's that copies what other processes print to the real stdout and
// stderr, and into the trace. It goes on when the recording has ended, as long as somebody is there who can print.
#pragma once
#include "trace/relay_control.h"

namespace ana {

struct RelayedOutput {
  int reading = -1;          // of the pipe, or the master of the pseudo terminal; -1: there is no such channel
  int real = -1;
  bool is_terminal = false;
};

// In a process of its own, a copy of the tool. `recording`: the end of a pipe whose other end is closed when the
// recording ends, or its recorder dies. Everything but these descriptors and `directory`, the trace's, is closed.
[[noreturn]] void run_relay(RelayControl& control, const RelayedOutput (&outputs)[kChannels], int recording,
                            int directory);

// Sleeps until the word is no longer `seen`, or about ten milliseconds.
void wait_for_word(uint32_t& word, uint32_t seen);
void wake_all(uint32_t& word);

}  // namespace ana
