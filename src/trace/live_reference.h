// A reference on its way from a replayed program to the tool, through the ring of its slot (replay --trace-all).
// Freestanding: used inside the program.
#pragma once
#include <stdint.h>

#include "trace/session.h"

namespace ana {

constexpr uint64_t kMaxLiveBytes = 1 << 15;  // larger accesses are several references

struct LiveReference {
  uint64_t stamp;  // over all threads, from 0, without gaps
  uint64_t what;   // bits 0 to 47: address; 48 to 62: bytes - 1; 63: write
  uint64_t site;
  uint64_t count;  // of its thread

  static uint64_t pack(uint64_t address, uint64_t bytes, bool write) {
    return (address & kAddress) | (bytes - 1) << 48 | uint64_t{write} << 63;
  }
  uint64_t address() const { return what & kAddress; }
  uint32_t bytes() const { return static_cast<uint32_t>(what >> 48 & (kMaxLiveBytes - 1)) + 1; }
  bool write() const { return what >> 63; }

 private:
  static constexpr uint64_t kAddress = (1ull << 48) - 1;
};
static_assert(sizeof(LiveReference) == 32 && kRingBytes % sizeof(LiveReference) == 0);

}  // namespace ana
