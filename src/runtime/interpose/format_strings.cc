#include "runtime/interpose/format_strings.h"

#include <string.h>
#include <wchar.h>

namespace ana {
namespace {

constexpr int kTries = 8;  // if others keep making the strings longer

bool is_one_of(char c, const char* set) { return c && strchr(set, c); }

// One conversion, from behind its % on.
struct Conversion {
  bool has_precision = false;
  bool is_long = false;         // l, ll, q, j, z, t
  bool is_long_double = false;  // L
  size_t precision = 0;
  char letter = 0;

  // Takes the arguments of * from the list. Returns the place behind it.
  const char* parse(const char* s, va_list arguments) {
    while (is_one_of(*s, "-+ #0'I")) ++s;
    number(s, arguments);
    if (*s == '.') {
      ++s;
      long value = number(s, arguments);
      has_precision = value >= 0;
      precision = static_cast<size_t>(value);
    }
    for (; is_one_of(*s, "hlqjztL"); ++s) {
      is_long |= *s != 'h' && *s != 'L';
      is_long_double |= *s == 'L';
    }
    letter = *s;
    return letter ? s + 1 : s;
  }

 private:
  static long number(const char*& s, va_list arguments) {
    if (*s == '*') {
      ++s;
      return va_arg(arguments, int);
    }
    long value = 0;
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    return value;
  }
};

}  // namespace

FormatStrings::FormatStrings(const char* format, va_list arguments, char* to, size_t bytes) {
  if (passive()) return;
  find(format, arguments);
  for (int tries = 0; tries < kTries && !hold(to, bytes); ++tries) release();
}

// As the C library reads them; at anything unknown, and at %1$s, where arguments have no order, it ends.
void FormatStrings::find(const char* format, va_list arguments) {
  va_list list;
  va_copy(list, arguments);
  for (const char* s = format; (s = strchr(s, '%'));) {
    Conversion c;
    s = c.parse(s + 1, list);
    if (c.letter == '%' || c.letter == 'm') continue;
    if (c.letter == 's' && !c.is_long && count_ < kMaxStrings) {
      auto* text = va_arg(list, const char*);
      if (text) texts_[count_++] = {text, c.has_precision ? c.precision : SIZE_MAX, 0};
    } else if (is_one_of(c.letter, "sSpn")) {
      (void)va_arg(list, void*);
    } else if (is_one_of(c.letter, "diouxX") && c.is_long) {
      (void)va_arg(list, long);
    } else if (is_one_of(c.letter, "diouxXcC")) {
      (void)va_arg(list, int);
    } else if (is_one_of(c.letter, "eEfFgGaA") && c.is_long_double) {
      (void)va_arg(list, long double);
    } else if (is_one_of(c.letter, "eEfFgGaA")) {
      (void)va_arg(list, double);
    } else {
      break;
    }
  }
  va_end(list);
}

// False if a string has become longer before all were held.
bool FormatStrings::hold(char* to, size_t bytes) {
  AnaRange ranges[kMaxStrings + 1];
  for (uint32_t i = 0; i < count_; ++i) {
    Text& text = texts_[i];
    size_t length = access::length(text.at, text.limit);
    text.bytes = length < text.limit ? length + 1 : length;
    if (text.bytes) ranges[pins_++] = access::range_of(text.at, text.bytes, false);
  }
  if (bytes) ranges[pins_++] = access::range_of(to, bytes, true);
  if (!pins_) return true;
  for (uint32_t i = 0; i < pins_; ++i) g_host->pin(ranges[i]);
  access::acquire(ranges, pins_);
  for (uint32_t i = 0; i < count_; ++i) {
    const Text& text = texts_[i];
    if (text.bytes < text.limit && !memchr(text.at, 0, text.bytes)) return false;
  }
  return true;
}

void FormatStrings::release() {
  for (; pins_; --pins_) g_host->unpin();
}

}  // namespace ana
