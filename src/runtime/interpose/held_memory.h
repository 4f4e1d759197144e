// Memory of the program that a library function is about to read or write, held while it runs: whatever the function
// does, no access of another thread comes between. For functions that do not block, or for what they touch anyway.
#pragma once
#include <wchar.h>

#include "runtime/interpose/libc_access.h"

namespace ana {

// Characters up to the NUL or the limit, each line of them read only while it is held.
inline size_t wide_length(const wchar_t* s, size_t limit = SIZE_MAX) {
  for (size_t done = 0; done < limit;) {
    size_t part = (kLineBytes - reinterpret_cast<uint64_t>(s + done) % kLineBytes) / sizeof(wchar_t);
    if (part == 0) part = 1;  // where it is not aligned
    if (part > limit - done) part = limit - done;
    access::read(s + done, part * sizeof(wchar_t));
    if (const wchar_t* end = wmemchr(s + done, 0, part)) return static_cast<size_t>(end - s);
    done += part;
  }
  return limit;
}

class HeldMemory {
 public:
  HeldMemory() = default;
  ~HeldMemory() { release(); }
  HeldMemory(const HeldMemory&) = delete;

  // A string up to its end, or so many characters of it. More than kMaxTexts are left out, as are null pointers.
  void string(const void* s, size_t limit = SIZE_MAX, uint32_t unit = 1);
  void wide(const wchar_t* s, size_t limit = SIZE_MAX) { string(s, limit, sizeof(wchar_t)); }
  void read(const void* p, size_t bytes) { add(p, bytes, false); }
  void write(void* p, size_t bytes) { add(p, bytes, true); }
  // From now on. Nothing when passive.
  void hold();

 private:
  static constexpr uint32_t kMaxTexts = 8, kMaxRanges = 12;
  struct Text {
    const char* at;
    size_t limit;   // characters
    size_t length;  // of them that are read, with the NUL if it is among them
    uint32_t unit;  // bytes of a character
  };

  void add(const void* p, size_t bytes, bool write);
  bool try_to_hold();
  void release();

  Text texts_[kMaxTexts];
  AnaRange ranges_[kMaxRanges + kMaxTexts];
  uint32_t texts_count_ = 0, ranges_count_ = 0, pins_ = 0;
};

// Characters of a number in a text that are held; more than any is likely to have.
constexpr size_t kLikelyNumber = 256;

// `name` as it is called by instrumented code, see rewrite_table.h; `holds` say what it touches.
#define ANA_HELD(result, name, parameters, arguments, ...) \
  ANA_EXPORT result __ana_##name parameters {              \
    ana::HeldMemory held;                                  \
    if (!ana::passive()) {                                 \
      __VA_ARGS__;                                         \
      held.hold();                                         \
    }                                                      \
    return name arguments;                                 \
  }

}  // namespace ana
