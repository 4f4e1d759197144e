// Formatted output. See stdio_wrappers.h.
//
// The arguments of printf are not accessed ahead: which of them point to memory is known only to the format. Text is
// formatted into buffers of the program's (snprintf) after the buffer has been taken for writing.
#include "runtime/interpose/stdio_wrappers.h"

extern "C" {
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vsnprintf_chk(char*, size_t, int, size_t, const char*, va_list) noexcept;
int __vsprintf_chk(char*, int, size_t, const char*, va_list) noexcept;
int __vprintf_chk(int, const char*, va_list);
}

namespace ana {
namespace {

// sprintf does not say how long the text will be, so it is formatted twice.
void before_sprintf(char* to, const char* format, va_list arguments) {
  if (passive()) return;
  va_list again;
  va_copy(again, arguments);
  int bytes = ANA_REAL(vsnprintf)(nullptr, 0, format, again);
  va_end(again);
  if (bytes >= 0) access::write_all(to, likely(static_cast<size_t>(bytes) + 1));
}

}  // namespace
}  // namespace ana

// --- to a FILE

ANA_FILE(int, vfprintf, (FILE* f, const char* s, va_list v), (f, s, v), f)
ANA_FILE(int, vprintf, (const char* s, va_list v), (s, v), stdout)
ANA_FILE(int, __vfprintf_chk, (FILE* f, int flag, const char* s, va_list v), (f, flag, s, v), f)
ANA_FILE(int, __vprintf_chk, (int flag, const char* s, va_list v), (flag, s, v), stdout)
ANA_VARIADIC(printf, (const char* s, ...), s, stdout, vprintf, (s, list))
ANA_VARIADIC(fprintf, (FILE * f, const char* s, ...), s, f, vfprintf, (f, s, list))
ANA_VARIADIC(_IO_printf, (const char* s, ...), s, stdout, vprintf, (s, list))
ANA_VARIADIC(_IO_fprintf, (FILE * f, const char* s, ...), s, f, vfprintf, (f, s, list))
ANA_VARIADIC(__printf_chk, (int flag, const char* s, ...), s, stdout, __vprintf_chk, (flag, s, list))
ANA_VARIADIC(__fprintf_chk, (FILE * f, int flag, const char* s, ...), s, f, __vfprintf_chk, (f, flag, s, list))

// --- into memory

#define ANA_INTO(name, parameters, last, call) \
  ANA_EXPORT int name parameters noexcept {    \
    va_list list;                              \
    va_start(list, last);                      \
    int result = call;                         \
    va_end(list);                              \
    return result;                             \
  }

ANA_EXPORT int vsnprintf(char* to, size_t n, const char* s, va_list v) noexcept {
  ana::access::write_all(to, ana::likely(n));
  return ANA_REAL(vsnprintf)(to, n, s, v);
}

ANA_EXPORT int vsprintf(char* to, const char* s, va_list v) noexcept {
  ana::before_sprintf(to, s, v);
  return ANA_REAL(vsprintf)(to, s, v);
}

ANA_EXPORT int __vsnprintf_chk(char* to, size_t n, int flag, size_t room, const char* s, va_list v) noexcept {
  ana::access::write_all(to, ana::likely(n));
  return ANA_REAL(__vsnprintf_chk)(to, n, flag, room, s, v);
}

ANA_EXPORT int __vsprintf_chk(char* to, int flag, size_t room, const char* s, va_list v) noexcept {
  ana::before_sprintf(to, s, v);
  return ANA_REAL(__vsprintf_chk)(to, flag, room, s, v);
}

ANA_INTO(snprintf, (char* to, size_t n, const char* s, ...), s, vsnprintf(to, n, s, list))
ANA_INTO(sprintf, (char* to, const char* s, ...), s, vsprintf(to, s, list))
ANA_INTO(__snprintf_chk, (char* to, size_t n, int flag, size_t room, const char* s, ...), s,
         __vsnprintf_chk(to, n, flag, room, s, list))
ANA_INTO(__sprintf_chk, (char* to, int flag, size_t room, const char* s, ...), s,
         __vsprintf_chk(to, flag, room, s, list))
