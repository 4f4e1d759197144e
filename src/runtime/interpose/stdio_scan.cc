// Formatted input. See stdio_wrappers.h.
//
// scanf writes through its arguments; which, and how much, only the format and the input know, so nothing is accessed
// ahead.
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
#include "runtime/interpose/stdio_wrappers.h"
#undef scanf
#undef fscanf
#undef vscanf
#undef vfscanf
#undef wscanf
#undef fwscanf
#undef vwscanf
#undef vfwscanf

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
}

#define ANA_SCAN(prefix)                                                                                      \
  ANA_FILE(int, prefix##vfscanf, (FILE * f, const char* s, va_list v), (f, s, v), f)                          \
  ANA_FILE(int, prefix##vscanf, (const char* s, va_list v), (s, v), stdin)                                    \
  ANA_FILE(int, prefix##vfwscanf, (FILE * f, const wchar_t* s, va_list v), (f, s, v), f)                      \
  ANA_FILE(int, prefix##vwscanf, (const wchar_t* s, va_list v), (s, v), stdin)                                \
  ANA_VARIADIC(prefix##scanf, (const char* s, ...), s, stdin, prefix##vscanf, (s, list))                      \
  ANA_VARIADIC(prefix##fscanf, (FILE * f, const char* s, ...), s, f, prefix##vfscanf, (f, s, list))           \
  ANA_VARIADIC(prefix##wscanf, (const wchar_t* s, ...), s, stdin, prefix##vwscanf, (s, list))                 \
  ANA_VARIADIC(prefix##fwscanf, (FILE * f, const wchar_t* s, ...), s, f, prefix##vfwscanf, (f, s, list))

ANA_SCAN()
ANA_SCAN(__isoc99_)
ANA_SCAN(__isoc23_)
