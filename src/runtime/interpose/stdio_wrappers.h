// How the wrappers of stdio are written: one line per function.
//
// Every entry point that takes a FILE is an ordered section on it (Section): the contents of a FILE's buffer, and with
// them the system calls that a thread makes, depend on who was there before. Order of write(2) alone is not enough. The
// section is entered before the real function takes the FILE's own lock, so no thread ever waits for its turn with that
// lock held.
//
//   ANA_FILE(result, name, (parameters), (arguments), file, accesses)
//
// `accesses` are the ranged accesses to the program's memory (libc_access.h) that the real function is about to make.
// They are made inside the section, before the call. While the call is blocked in read(2) or write(2) another thread
// may get the lines; the bytes that travel between the FILE's buffer and the program afterwards are then not ordered
// with that thread's accesses, which race with the call anyway.
//
// The inline forms of the header would be second definitions, so they are switched off here, as is fortification: the
// fortified names are wrappers of their own. Include this first.
#pragma once
#undef _FORTIFY_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/runtime.h"

#define ANA_FILE(result, name, parameters, arguments, file, ...) \
  ANA_EXPORT result name parameters {                            \
    ana::Section section(file);                                  \
    __VA_ARGS__;                                                 \
    return ANA_REAL(name) arguments;                             \
  }

// The same for `...`, by the form of the function that takes a va_list, here `list`.
#define ANA_VARIADIC(name, parameters, last, file, real, arguments, ...) \
  ANA_EXPORT int name parameters {                                       \
    va_list list;                                                        \
    va_start(list, last);                                                \
    ana::Section section(file);                                          \
    __VA_ARGS__;                                                         \
    int result = ANA_REAL(real) arguments;                               \
    va_end(list);                                                        \
    return result;                                                       \
  }

namespace ana {

// Functions that are given the size of a buffer but seldom fill it: as much as this of it is taken.
constexpr size_t kLikelyBytes = 4096;
inline size_t likely(size_t bytes) { return bytes < kLikelyBytes ? bytes : kLikelyBytes; }

}  // namespace ana
