// Wide characters: the same as stdio.cc and stdio_format.cc. See stdio_wrappers.h.
#include "runtime/interpose/stdio_wrappers.h"

extern "C" {
int __vfwprintf_chk(FILE*, int, const wchar_t*, va_list);
int __vwprintf_chk(int, const wchar_t*, va_list);
int __vswprintf_chk(wchar_t*, size_t, int, size_t, const wchar_t*, va_list) noexcept;
wchar_t* __fgetws_chk(wchar_t*, size_t, int, FILE*);
wchar_t* __fgetws_unlocked_chk(wchar_t*, size_t, int, FILE*);
}

namespace ana {
namespace {

void before_fgetws(wchar_t* to, int n) {
  if (n > 0) access::write_all(to, likely(static_cast<size_t>(n) * sizeof(wchar_t)));
}

}  // namespace
}  // namespace ana

ANA_FILE(wint_t, fgetwc, (FILE* f), (f), f)
ANA_FILE(wint_t, getwc, (FILE* f), (f), f)
ANA_FILE(wint_t, getwchar, (), (), stdin)
ANA_FILE(wint_t, fgetwc_unlocked, (FILE* f), (f), f)
ANA_FILE(wint_t, getwc_unlocked, (FILE* f), (f), f)
ANA_FILE(wint_t, getwchar_unlocked, (), (), stdin)
ANA_FILE(wint_t, fputwc, (wchar_t c, FILE* f), (c, f), f)
ANA_FILE(wint_t, putwc, (wchar_t c, FILE* f), (c, f), f)
ANA_FILE(wint_t, putwchar, (wchar_t c), (c), stdout)
ANA_FILE(wint_t, fputwc_unlocked, (wchar_t c, FILE* f), (c, f), f)
ANA_FILE(wint_t, putwc_unlocked, (wchar_t c, FILE* f), (c, f), f)
ANA_FILE(wint_t, putwchar_unlocked, (wchar_t c), (c), stdout)
ANA_FILE(wint_t, ungetwc, (wint_t c, FILE* f), (c, f), f)
ANA_FILE(wchar_t*, fgetws, (wchar_t* to, int n, FILE* f), (to, n, f), f, ana::before_fgetws(to, n))
ANA_FILE(wchar_t*, fgetws_unlocked, (wchar_t* to, int n, FILE* f), (to, n, f), f, ana::before_fgetws(to, n))
ANA_FILE(wchar_t*, __fgetws_chk, (wchar_t* to, size_t room, int n, FILE* f), (to, room, n, f), f,
         ana::before_fgetws(to, n))
ANA_FILE(wchar_t*, __fgetws_unlocked_chk, (wchar_t* to, size_t room, int n, FILE* f), (to, room, n, f), f,
         ana::before_fgetws(to, n))
ANA_FILE(int, fputws, (const wchar_t* s, FILE* f), (s, f), f)
ANA_FILE(int, fputws_unlocked, (const wchar_t* s, FILE* f), (s, f), f)
ANA_FILE(int, fwide, (FILE* f, int mode) noexcept, (f, mode), f)

ANA_FILE(int, vfwprintf, (FILE* f, const wchar_t* s, va_list v), (f, s, v), f)
ANA_FILE(int, vwprintf, (const wchar_t* s, va_list v), (s, v), stdout)
ANA_FILE(int, __vfwprintf_chk, (FILE* f, int flag, const wchar_t* s, va_list v), (f, flag, s, v), f)
ANA_FILE(int, __vwprintf_chk, (int flag, const wchar_t* s, va_list v), (flag, s, v), stdout)
ANA_VARIADIC(wprintf, (const wchar_t* s, ...), s, stdout, vwprintf, (s, list))
ANA_VARIADIC(fwprintf, (FILE * f, const wchar_t* s, ...), s, f, vfwprintf, (f, s, list))
ANA_VARIADIC(__wprintf_chk, (int flag, const wchar_t* s, ...), s, stdout, __vwprintf_chk, (flag, s, list))
ANA_VARIADIC(__fwprintf_chk, (FILE * f, int flag, const wchar_t* s, ...), s, f, __vfwprintf_chk, (f, flag, s, list))

ANA_EXPORT int vswprintf(wchar_t* to, size_t n, const wchar_t* s, va_list v) noexcept {
  ana::access::write_all(to, ana::likely(n * sizeof(wchar_t)));
  return ANA_REAL(vswprintf)(to, n, s, v);
}

ANA_EXPORT int __vswprintf_chk(wchar_t* to, size_t n, int flag, size_t room, const wchar_t* s, va_list v) noexcept {
  ana::access::write_all(to, ana::likely(n * sizeof(wchar_t)));
  return ANA_REAL(__vswprintf_chk)(to, n, flag, room, s, v);
}

ANA_EXPORT int swprintf(wchar_t* to, size_t n, const wchar_t* s, ...) noexcept {
  va_list list;
  va_start(list, s);
  int result = vswprintf(to, n, s, list);
  va_end(list);
  return result;
}

ANA_EXPORT int __swprintf_chk(wchar_t* to, size_t n, int flag, size_t room, const wchar_t* s, ...) noexcept {
  va_list list;
  va_start(list, s);
  int result = __vswprintf_chk(to, n, flag, room, s, list);
  va_end(list);
  return result;
}
