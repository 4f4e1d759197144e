// What a replayed program tells the tool through the rings of its slots: every reference (replay --trace-all), and, if asked
// (Telling), what else decides which accesses are ordered. Freestanding: used inside the program.
#pragma once
#include <stdint.h>

#include "trace/session.h"

namespace ana {

// SessionHeader::references.
enum class Telling : uint32_t {
  kNothing = 0,
  kReferences = 1,       // accesses, and each operation on an object as a write to a number of its own
  kSynchronisation = 2,  // accesses, and operations as what they are (Told)
  kClaims = 3,           // the same, but what checks of compiled code claim stands for its accesses: more than there are
};

// What an event is. `address` is that of the object, unless said otherwise.
enum class Told : uint8_t {
  kAccess = 0,
  kAcquire,        // comes after all releases of the object
  kAcquireShared,  // a read lock: after the releases of those that held it exclusively
  kAcquireAlone,   // a write lock: after all releases
  kRelease,
  kArrive,         // at a barrier; value: how many it waits for, 0 if not known ...
  kLeave,          // ... and past it
  kCreate,         // address: slot of the new thread
  kStart,
  kEnd,
  kJoin,           // address: slot of the thread that has ended
  kAllocate,       // a block; value: bytes; site: who called
  kFree,           // the same, without bytes
  kFence,
  kRun,            // accesses of translated code: as many CompactReferences as `value` says come after it, padded to 64 bytes
};

// In a site: a call of a library function that has a wrapper, which does what is told; the rest is the address that the call
// returns to.
constexpr uint64_t kCalledFrom = 1ull << 63;

constexpr uint64_t kMaxLiveBytes = 1 << 15;  // larger accesses are several references

struct LiveReference {
  uint64_t stamp;  // over all threads, from 0, without gaps
  uint64_t what;   // bits 0 to 47: address; 48 to 62: bytes - 1; 63: write
  uint64_t site;
  uint64_t count;  // of its thread
  // Of an access: what the first 8 bytes hold before it, if `has_value`. Of an operation on an object that is told as a
  // reference: the object's address, or 0.
  uint64_t value = 0;
  uint32_t flags = 0;  // ANA_SITE_, of accesses and fences; who writes and has ANA_SITE_READ has read the same bytes before
  Told told = Told::kAccess;
  bool has_value = false;
  bool announced = false;  // by the check before the access, which followed code tells once more
  bool counted = false;     // among the events that may be left out (order_entries.h)
  bool ends_epoch = false;  // of its thread, as for what is told once in an epoch
  Told operation = Told::kAccess;  // of an operation that is told as a reference
  uint8_t reserved[14] = {};

  static uint64_t pack(uint64_t address, uint64_t bytes, bool write) {
    return (address & kAddress) | (bytes - 1) << 48 | uint64_t{write} << 63;
  }
  uint64_t address() const { return what & kAddress; }
  uint32_t bytes() const { return static_cast<uint32_t>(what >> 48 & (kMaxLiveBytes - 1)) + 1; }
  bool write() const { return what >> 63; }

 private:
  static constexpr uint64_t kAddress = (1ull << 48) - 1;
};
static_assert(sizeof(LiveReference) == 64 && kRingBytes % sizeof(LiveReference) == 0);

}  // namespace ana
