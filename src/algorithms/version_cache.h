// V_t(a) of Jiang 2015, III-C3: what a thread believes to be the last write of each granule, for as many as the
// direct-mapped cache holds. It may be outdated or forgotten, never ahead: a belief equal to the granule's version
// proves that nobody else has written since.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

template <unsigned kBits>
class VersionCache {
 public:
  static constexpr size_t kEntries = size_t{1} << kBits;

  template <Host H>
  void start(H& host) {
    entries_ = static_cast<Entry*>(host.allocate(kEntries * sizeof(Entry)));
    for (size_t i = 0; i < kEntries; ++i) entries_[i] = {};
  }
  template <Host H>
  void stop(H& host) {
    host.release(entries_, kEntries * sizeof(Entry));
  }

  // `key` names the granule: its address.
  bool believes(uint64_t key, Event version) const {
    const Entry& entry = entries_[index(key)];
    return entry.key == key + 1 && entry.version == version;
  }
  void learn(uint64_t key, Event version) { entries_[index(key)] = {key + 1, version}; }
  // The granule `from` has been divided, and `to` is a part of it.
  void copy(uint64_t to, uint64_t from) {
    Entry entry = entries_[index(from)];
    if (entry.key == from + 1) learn(to, entry.version);
  }

 private:
  struct Entry {
    uint64_t key;  // plus 1; 0: none
    Event version;
  };
  static size_t index(uint64_t key) { return key * 0x9e3779b97f4a7c15ull >> (64 - kBits); }

  Entry* entries_;
};

}  // namespace ana::algorithms
