// What writes to stderr, or to the system's log, by itself: sections on the FILE, as in stdio.cc. See stdio_wrappers.h.
//
// A message that ends the program is written inside the section; the end itself comes after it, except where the real
// function does both.
#include "runtime/interpose/stdio_wrappers.h"

#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdlib.h>
#include <syslog.h>

#include "runtime/interpose/libc_wrappers.h"

#undef vsyslog
#undef syslog

ANA_FILE(void, perror, (const char* s), (s), stderr, ana::access::read_string(s))
ANA_FILE(void, psignal, (int number, const char* s), (number, s), stderr, ana::access::read_string(s))
ANA_FILE(void, vwarn, (const char* s, va_list v), (s, v), stderr)
ANA_FILE(void, vwarnx, (const char* s, va_list v), (s, v), stderr)

#define ANA_WARN(name, real)               \
  ANA_EXPORT void name(const char* s, ...) { \
    va_list list;                          \
    va_start(list, s);                     \
    real(s, list);                         \
    va_end(list);                          \
  }

ANA_WARN(warn, vwarn)
ANA_WARN(warnx, vwarnx)

#define ANA_ERR(name, vname, real)                         \
  ANA_EXPORT void vname(int status, const char* s, va_list v) { \
    real(s, v);                                            \
    exit(status);                                          \
  }                                                        \
  ANA_EXPORT void name(int status, const char* s, ...) {   \
    va_list list;                                          \
    va_start(list, s);                                     \
    vname(status, s, list);                                \
    va_end(list);                                          \
  }

ANA_ERR(err, verr, vwarn)
ANA_ERR(errx, verrx, vwarnx)

// error() also flushes stdout.
ANA_EXPORT void error(int status, int number, const char* s, ...) {
  va_list list;
  va_start(list, s);
  char* text = nullptr;
  int length = vasprintf(&text, s, list);
  va_end(list);
  {
    ana::Section lower(stdout < stderr ? stdout : stderr);
    ana::Section higher(stdout < stderr ? stderr : stdout);
    ANA_REAL(error)(0, number, "%s", length < 0 ? s : text);
  }
  if (length >= 0) free(text);
  if (status) exit(status);
}

extern "C" {
void __vsyslog_chk(int, int, const char*, va_list);
}

ANA_EXPORT void __assert_fail(const char* what, const char* file, unsigned line, const char* function) noexcept {
  ana::Section section(stderr);
  ANA_REAL(__assert_fail)(what, file, line, function);
}

ANA_EXPORT void __assert_perror_fail(int number, const char* file, unsigned line, const char* function) noexcept {
  ana::Section section(stderr);
  ANA_REAL(__assert_perror_fail)(number, file, line, function);
}

ANA_IN_LIBC(void, openlog, (const char* name, int options, int facility), (name, options, facility))
ANA_IN_LIBC(void, closelog, (), ())
ANA_IN_LIBC(int, setlogmask, (int mask) noexcept, (mask))
ANA_IN_LIBC(void, vsyslog, (int priority, const char* s, va_list v), (priority, s, v))
ANA_IN_LIBC(void, __vsyslog_chk, (int priority, int flag, const char* s, va_list v), (priority, flag, s, v))

ANA_EXPORT void syslog(int priority, const char* s, ...) {
  va_list list;
  va_start(list, s);
  vsyslog(priority, s, list);
  va_end(list);
}

ANA_EXPORT void __syslog_chk(int priority, int flag, const char* s, ...) {
  va_list list;
  va_start(list, s);
  __vsyslog_chk(priority, flag, s, list);
  va_end(list);
}
