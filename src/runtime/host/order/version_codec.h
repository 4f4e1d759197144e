// The versions of an event (algorithms/instant_replay.h) as bytes, both ways: for each granule, in the order of
// Accesses::each_once(), the difference to what the thread saw there last, and before a write the number of readers.
#pragma once
#include "algorithms/instant_replay.h"
#include "trace/stream_format.h"

namespace ana {

// What a thread saw last of granules, as far as there is room. Follows from the thread's own events, so that replay
// guesses the same.
class VersionGuesses {
 public:
  uint64_t guess(uint64_t granule) const {
    const Entry& e = entries_[index(granule)];
    return e.granule == granule ? e.version : 0;
  }
  void learn(uint64_t granule, uint64_t version) { entries_[index(granule)] = {granule, version}; }

 private:
  static constexpr uint32_t kBits = 12;
  static uint64_t index(uint64_t granule) { return granule * 0x9e3779b97f4a7c15ull >> (64 - kBits); }
  struct Entry {
    uint64_t granule, version;
  };
  Entry entries_[1 << kBits];
};

constexpr uint32_t kMaxVersionBytes = 2 * kMaxVarint;

inline uint32_t put_version(VersionGuesses& guesses, uint64_t granule, bool write, algorithms::Version seen,
                            uint8_t* to) {
  uint32_t n = put_varint(to, zigzag(static_cast<int64_t>(seen.version - guesses.guess(granule))));
  if (write) n += put_varint(to + n, seen.readers);
  guesses.learn(granule, seen.version + write);
  return n;
}

inline uint64_t get_varint(const uint8_t*& at) {
  uint64_t value = 0;
  for (uint32_t shift = 0;; shift += 7) {
    value |= static_cast<uint64_t>(*at & 0x7f) << shift;
    if (*at++ < 0x80) return value;
  }
}

inline algorithms::Version get_version(VersionGuesses& guesses, uint64_t granule, bool write, const uint8_t*& at) {
  algorithms::Version seen{guesses.guess(granule) + static_cast<uint64_t>(unzigzag(get_varint(at))), 0};
  if (write) seen.readers = get_varint(at);
  guesses.learn(granule, seen.version + write);
  return seen;
}

}  // namespace ana
