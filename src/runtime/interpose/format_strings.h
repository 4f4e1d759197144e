// The strings that printf is about to read, and the buffer that it is about to fill: found in the format and held while
// it runs, also after it has written to a file. Without this what another thread does to them meanwhile would be in no
// order.
#pragma once
#include <stdarg.h>

#include "runtime/interpose/libc_access.h"

namespace ana {

class FormatStrings {
 public:
  // `to` is the buffer, if there is one. Nothing when passive.
  FormatStrings(const char* format, va_list arguments, char* to = nullptr, size_t bytes = 0);
  ~FormatStrings() { release(); }
  FormatStrings(const FormatStrings&) = delete;

 private:
  // %s of narrow characters, not more than this many of them; a format with more, or with %1$s, is held in part.
  static constexpr uint32_t kMaxStrings = 8;
  struct Text {
    const char* at;
    size_t limit;  // the precision
    size_t bytes;  // that are read, with the NUL if it is among them
  };

  void find(const char* format, va_list arguments);
  bool hold(char* to, size_t bytes);
  void release();

  Text texts_[kMaxStrings];
  uint32_t count_ = 0;
  uint32_t pins_ = 0;
};

}  // namespace ana
