// The strings that printf is about to read, and the buffer that it is about to fill: found in the format and held while
// it runs, also after it has written to a file. Without this what another thread does to them meanwhile would be in no
// order.
#pragma once
#include <stdarg.h>

#include "runtime/interpose/held_memory.h"

namespace ana {

class FormatStrings {
 public:
  // `to` is the buffer, if there is one. Nothing when passive. %s of wide characters is not held, nor are strings of a
  // format with %1$s.
  FormatStrings(const char* format, va_list arguments, char* to = nullptr, size_t bytes = 0);

 private:
  void find(const char* format, va_list arguments);

  HeldMemory held_;
};

// What scanf is about to write: its arguments, with `text` bytes for strings that have no width. Not of formats with
// %1$s, of %m and of those for wide characters.
void find_scanned(HeldMemory& held, const char* format, va_list arguments, size_t text);

}  // namespace ana
