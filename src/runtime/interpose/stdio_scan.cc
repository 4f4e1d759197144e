// Formatted input. See stdio_wrappers.h.
//
// scanf writes through its arguments; which, the format says. From a file it may block, so only what has happened to them
// before is in order; from a string all is held.
//
// The headers give the names of the old functions to the ones of C99. Both exist, so the names are hidden from the
// headers and declared here.
#define scanf hidden_scanf
#define fscanf hidden_fscanf
#define vscanf hidden_vscanf
#define vfscanf hidden_vfscanf
#define wscanf hidden_wscanf
#define fwscanf hidden_fwscanf
#define vwscanf hidden_vwscanf
#define vfwscanf hidden_vfwscanf
#define vsscanf hidden_vsscanf
#define sscanf hidden_sscanf
#include "runtime/interpose/stdio_wrappers.h"
#undef scanf
#undef fscanf
#undef vscanf
#undef vfscanf
#undef wscanf
#undef fwscanf
#undef vwscanf
#undef vfwscanf
#undef vsscanf
#undef sscanf

#include "runtime/interpose/format_strings.h"

extern "C" {
int vfscanf(FILE*, const char*, va_list);
int vscanf(const char*, va_list);
int vfwscanf(FILE*, const wchar_t*, va_list);
int vwscanf(const wchar_t*, va_list);
int __isoc99_vfscanf(FILE*, const char*, va_list);
int __isoc99_vscanf(const char*, va_list);
int __isoc99_vfwscanf(FILE*, const wchar_t*, va_list);
int __isoc99_vwscanf(const wchar_t*, va_list);
int __isoc23_vfscanf(FILE*, const char*, va_list);
int __isoc23_vscanf(const char*, va_list);
int __isoc23_vfwscanf(FILE*, const wchar_t*, va_list);
int __isoc23_vwscanf(const wchar_t*, va_list);
int vsscanf(const char*, const char*, va_list) noexcept;
int __isoc99_vsscanf(const char*, const char*, va_list) noexcept;
int __isoc23_vsscanf(const char*, const char*, va_list) noexcept;
}

namespace ana {
namespace {

constexpr size_t kLikelyWord = 64;  // bytes of a word of a file

void write_scanned(const char* format, va_list arguments) {
  HeldMemory held;
  if (passive()) return;
  find_scanned(held, format, arguments, kLikelyWord);
  held.hold();
}

}  // namespace
}  // namespace ana

using ana::write_scanned;

#define ANA_SCAN(prefix)                                                                                      \
  ANA_FILE(int, prefix##vfscanf, (FILE * f, const char* s, va_list v), (f, s, v), f, write_scanned(s, v))     \
  ANA_FILE(int, prefix##vscanf, (const char* s, va_list v), (s, v), stdin, write_scanned(s, v))               \
  ANA_FILE(int, prefix##vfwscanf, (FILE * f, const wchar_t* s, va_list v), (f, s, v), f)                      \
  ANA_FILE(int, prefix##vwscanf, (const wchar_t* s, va_list v), (s, v), stdin)                                \
  ANA_VARIADIC(prefix##scanf, (const char* s, ...), s, stdin, prefix##vscanf, (s, list),                      \
               write_scanned(s, list))                                                                        \
  ANA_VARIADIC(prefix##fscanf, (FILE * f, const char* s, ...), s, f, prefix##vfscanf, (f, s, list),           \
               write_scanned(s, list))                                                                        \
  ANA_VARIADIC(prefix##wscanf, (const wchar_t* s, ...), s, stdin, prefix##vwscanf, (s, list))                 \
  ANA_VARIADIC(prefix##fwscanf, (FILE * f, const wchar_t* s, ...), s, f, prefix##vfwscanf, (f, s, list))

#define ANA_SCAN_STRING(prefix)                                                              \
  ANA_EXPORT int prefix##vsscanf(const char* from, const char* s, va_list v) noexcept {      \
    ana::HeldMemory held;                                                                    \
    if (!ana::passive()) {                                                                   \
      held.string(from);                                                                     \
      find_scanned(held, s, v, ana::access::length(from) + 1);                               \
      held.hold();                                                                           \
    }                                                                                        \
    return ANA_REAL(prefix##vsscanf)(from, s, v);                                            \
  }                                                                                          \
  ANA_EXPORT int prefix##sscanf(const char* from, const char* s, ...) noexcept {             \
    va_list list;                                                                            \
    va_start(list, s);                                                                       \
    int result = prefix##vsscanf(from, s, list);                                             \
    va_end(list);                                                                            \
    return result;                                                                           \
  }

ANA_SCAN()
ANA_SCAN(__isoc99_)
ANA_SCAN(__isoc23_)

ANA_SCAN_STRING()
ANA_SCAN_STRING(__isoc99_)
ANA_SCAN_STRING(__isoc23_)
