// Large files that the program reads are not copied into its streams: those refer to them (trace/kept_files.h).
//
// A read of one goes straight into the program's memory, which is taken for it before. What is logged is which bytes of
// which file it got, with a checksum; or the bytes after all, if somebody moved the descriptor's offset meanwhile or the
// file may change from now on.
//
// By the calling thread, inside its operation.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// Record: does a read or pread64 of such a file, and logs it. False if it is to be done as any other call.
bool read_kept(Slot& slot, long number, const long* args, long& result);

// Replay: the same, of what was logged so.
bool replay_kept(Slot& slot, long number, const long* args, long& result);

// Around whatever gives a descriptor of the program another meaning.
class ChangesDescriptors {
 public:
  ChangesDescriptors();
  ~ChangesDescriptors();
  ChangesDescriptors(const ChangesDescriptors&) = delete;
};

}  // namespace ana
