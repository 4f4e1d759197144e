// Formatted output. See stdio_wrappers.h.
//
// What %s reads and snprintf writes is held while it is formatted (format_strings.h); what %n writes is not.
#include "runtime/interpose/stdio_wrappers.h"

#include <stdlib.h>

#include "runtime/interpose/format_strings.h"

extern "C" {
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vsnprintf_chk(char*, size_t, int, size_t, const char*, va_list) noexcept;
int __vsprintf_chk(char*, int, size_t, const char*, va_list) noexcept;
int __vprintf_chk(int, const char*, va_list);
int __vasprintf_chk(char**, int, const char*, va_list) noexcept;
int __vdprintf_chk(int, int, const char*, va_list);
}

namespace ana {
namespace {

// sprintf does not say how long the text will be, so it is formatted twice.
size_t bytes_of(const char* format, va_list arguments) {
  if (passive()) return 0;
  FormatStrings strings(format, arguments);
  va_list again;
  va_copy(again, arguments);
  int bytes = ANA_REAL(vsnprintf)(nullptr, 0, format, again);
  va_end(again);
  return bytes >= 0 ? likely(static_cast<size_t>(bytes) + 1) : 0;
}

// Text that is formatted while its strings are held, and written when they no longer are needed: writing may block, and
// then others may change them, and make them longer than what is held.
class Text {
 public:
  Text(int flag, const char* format, va_list arguments) {
    FormatStrings strings(format, arguments);
    for (char* to = small_; to; to = grow()) {
      va_list again;
      va_copy(again, arguments);
      length_ = ANA_REAL(__vsnprintf_chk)(to, room_, flag, room_, format, again);
      va_end(again);
      if (length_ < 0 || static_cast<size_t>(length_) < room_) return;
    }
    length_ = -1;
  }
  ~Text() { free(large_); }
  Text(const Text&) = delete;

  // What printf returns.
  int write(FILE* file) {
    if (length_ < 0) return -1;
    auto bytes = static_cast<size_t>(length_);
    return ANA_REAL(fwrite)(large_ ? large_ : small_, 1, bytes, file) == bytes ? length_ : -1;
  }

 private:
  char* grow() {
    free(large_);
    room_ = static_cast<size_t>(length_) + 1;
    return large_ = static_cast<char*>(malloc(room_));
  }

  int length_ = -1;
  size_t room_ = sizeof(small_);
  char* large_ = nullptr;
  char small_[1024];
};

int print(FILE* file, int flag, const char* format, va_list arguments) {
  Section section(file);
  Text text(flag, format, arguments);
  return text.write(file);
}

}  // namespace
}  // namespace ana

// --- to a FILE

#define ANA_PRINT(name, parameters, arguments, file, flag)                      \
  ANA_EXPORT int name parameters {                                              \
    return ana::passive() ? ANA_REAL(name) arguments : ana::print(file, flag, s, v); \
  }
ANA_PRINT(vfprintf, (FILE* f, const char* s, va_list v), (f, s, v), f, 0)
ANA_PRINT(vprintf, (const char* s, va_list v), (s, v), stdout, 0)
ANA_PRINT(__vfprintf_chk, (FILE* f, int flag, const char* s, va_list v), (f, flag, s, v), f, flag)
ANA_PRINT(__vprintf_chk, (int flag, const char* s, va_list v), (flag, s, v), stdout, flag)

// `...` by the form that takes a va_list.
#define ANA_BY_LIST(name, parameters, attribute, call) \
  ANA_EXPORT int name parameters attribute {            \
    va_list list;                                       \
    va_start(list, s);                                  \
    int result = call;                                  \
    va_end(list);                                       \
    return result;                                      \
  }

ANA_BY_LIST(printf, (const char* s, ...), , vprintf(s, list))
ANA_BY_LIST(fprintf, (FILE * f, const char* s, ...), , vfprintf(f, s, list))
ANA_BY_LIST(_IO_printf, (const char* s, ...), , vprintf(s, list))
ANA_BY_LIST(_IO_fprintf, (FILE * f, const char* s, ...), , vfprintf(f, s, list))
ANA_BY_LIST(__printf_chk, (int flag, const char* s, ...), , __vprintf_chk(flag, s, list))
ANA_BY_LIST(__fprintf_chk, (FILE * f, int flag, const char* s, ...), , __vfprintf_chk(f, flag, s, list))

// --- into memory

ANA_EXPORT int vsnprintf(char* to, size_t n, const char* s, va_list v) noexcept {
  ana::FormatStrings strings(s, v, to, ana::likely(n));
  return ANA_REAL(vsnprintf)(to, n, s, v);
}

ANA_EXPORT int vsprintf(char* to, const char* s, va_list v) noexcept {
  ana::FormatStrings strings(s, v, to, ana::bytes_of(s, v));
  return ANA_REAL(vsprintf)(to, s, v);
}

ANA_EXPORT int __vsnprintf_chk(char* to, size_t n, int flag, size_t room, const char* s, va_list v) noexcept {
  ana::FormatStrings strings(s, v, to, ana::likely(n));
  return ANA_REAL(__vsnprintf_chk)(to, n, flag, room, s, v);
}

ANA_EXPORT int __vsprintf_chk(char* to, int flag, size_t room, const char* s, va_list v) noexcept {
  ana::FormatStrings strings(s, v, to, ana::bytes_of(s, v));
  return ANA_REAL(__vsprintf_chk)(to, flag, room, s, v);
}

ANA_BY_LIST(snprintf, (char* to, size_t n, const char* s, ...), noexcept, vsnprintf(to, n, s, list))
ANA_BY_LIST(sprintf, (char* to, const char* s, ...), noexcept, vsprintf(to, s, list))
ANA_BY_LIST(__snprintf_chk, (char* to, size_t n, int flag, size_t room, const char* s, ...), noexcept,
            __vsnprintf_chk(to, n, flag, room, s, list))
ANA_BY_LIST(__sprintf_chk, (char* to, int flag, size_t room, const char* s, ...), noexcept,
            __vsprintf_chk(to, flag, room, s, list))

// --- into memory of its own, and to a file

ANA_EXPORT int vasprintf(char** to, const char* s, va_list v) noexcept {
  ana::FormatStrings strings(s, v, reinterpret_cast<char*>(to), sizeof(*to));
  return ANA_REAL(vasprintf)(to, s, v);
}

ANA_EXPORT int __vasprintf_chk(char** to, int flag, const char* s, va_list v) noexcept {
  ana::FormatStrings strings(s, v, reinterpret_cast<char*>(to), sizeof(*to));
  return ANA_REAL(__vasprintf_chk)(to, flag, s, v);
}

ANA_EXPORT int vdprintf(int file, const char* s, va_list v) {
  ana::FormatStrings strings(s, v);
  return ANA_REAL(vdprintf)(file, s, v);
}

ANA_EXPORT int __vdprintf_chk(int file, int flag, const char* s, va_list v) {
  ana::FormatStrings strings(s, v);
  return ANA_REAL(__vdprintf_chk)(file, flag, s, v);
}

ANA_BY_LIST(asprintf, (char** to, const char* s, ...), noexcept, vasprintf(to, s, list))
ANA_BY_LIST(__asprintf_chk, (char** to, int flag, const char* s, ...), noexcept, __vasprintf_chk(to, flag, s, list))
ANA_BY_LIST(dprintf, (int file, const char* s, ...), , vdprintf(file, s, list))
ANA_BY_LIST(__dprintf_chk, (int file, int flag, const char* s, ...), , __vdprintf_chk(file, flag, s, list))
