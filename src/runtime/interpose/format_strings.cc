#include "runtime/interpose/format_strings.h"

#include <string.h>

namespace ana {
namespace {

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
  held_.write(to, bytes);
  held_.hold();
}

// As the C library reads them; at anything unknown, and at %1$s, where arguments have no order, it ends.
void FormatStrings::find(const char* format, va_list arguments) {
  va_list list;
  va_copy(list, arguments);
  for (const char* s = format; (s = strchr(s, '%'));) {
    Conversion c;
    s = c.parse(s + 1, list);
    if (c.letter == '%' || c.letter == 'm') continue;
    if (c.letter == 's' && !c.is_long) {
      held_.string(va_arg(list, const char*), c.has_precision ? c.precision : SIZE_MAX);
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

namespace {

// Bytes that a conversion of numbers writes.
size_t bytes_of_number(char letter, const char* modifiers, size_t length) {
  bool is_long = memchr(modifiers, 'l', length) || memchr(modifiers, 'q', length) || memchr(modifiers, 'j', length) ||
                 memchr(modifiers, 'z', length) || memchr(modifiers, 't', length);
  if (is_one_of(letter, "eEfFgGaA")) return memchr(modifiers, 'L', length) ? sizeof(long double) : is_long ? 8 : 4;
  if (letter == 'p' || is_long || memchr(modifiers, 'L', length)) return 8;
  return memchr(modifiers, 'h', length) ? (length == 2 ? 1 : 2) : 4;
}

// Behind a set of characters, from behind its [ on.
const char* behind_set(const char* s) {
  if (*s == '^') ++s;
  if (*s == ']') ++s;
  const char* end = strchr(s, ']');
  return end ? end + 1 : s + strlen(s);
}

}  // namespace

void find_scanned(HeldMemory& held, const char* format, va_list arguments, size_t text) {
  va_list list;
  va_copy(list, arguments);
  for (const char* s = format; (s = strchr(s, '%'));) {
    ++s;
    bool stored = *s != '*';
    if (!stored) ++s;
    size_t width = 0;
    while (*s >= '0' && *s <= '9') width = width * 10 + static_cast<size_t>(*s++ - '0');
    const char* modifiers = s;
    while (is_one_of(*s, "hlqjztL")) ++s;
    auto length = static_cast<size_t>(s - modifiers);
    char letter = *s;
    if (!letter || letter == 'm' || letter == '$') break;
    s = letter == '[' ? behind_set(s + 1) : s + 1;
    if (letter == '%' || !stored) continue;
    void* to = va_arg(list, void*);
    if (letter == 'c') held.write(to, width ? width : 1);
    else if (letter == 's' || letter == '[') held.write(to, width ? width + 1 : text);
    else held.write(to, bytes_of_number(letter, modifiers, length));
  }
  va_end(list);
}

}  // namespace ana
