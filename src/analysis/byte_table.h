// Something for each byte of memory, where bytes that have always been used together share one. A use of a part of them
// divides it, so the result is that of one for each byte.
#pragma once
#include <cstdint>
#include <iterator>
#include <map>

namespace ana {

template <class T>
class ByteTable {
 public:
  // Calls use(entry, first, last) for entries that cover exactly [first, last]; T is copied where one is divided.
  template <class Use>
  void each(uint64_t first, uint64_t last, Use use) {
    cut_before(first);
    cut_before(last + 1);
    for (uint64_t at = first; at <= last;) {
      auto next = parts_.lower_bound(at);
      if (next == parts_.end() || next->first > at) {
        uint64_t end = next == parts_.end() || next->first > last ? last : next->first - 1;
        next = parts_.emplace_hint(next, at, Part{end, {}});
      }
      use(next->second.value, at, next->second.last);
      at = next->second.last + 1;
    }
  }

 private:
  struct Part {
    uint64_t last;
    T value;
  };

  void cut_before(uint64_t byte) {
    auto after = parts_.upper_bound(byte);
    if (after == parts_.begin()) return;
    auto at = std::prev(after);
    if (at->first == byte || at->second.last < byte) return;
    parts_.emplace_hint(after, byte, Part{at->second.last, at->second.value});
    at->second.last = byte - 1;
  }

  std::map<uint64_t, Part> parts_;  // by first byte
};

}  // namespace ana
