// How the wrappers of libc functions with hidden state are written: one line per function.
//
//   ANA_IN_LIBC(result, name, (parameters), (arguments), accesses)
//
// One ordered object, WellKnown::kLibc, stands for all the state that threads share and that libc protects by locks of
// its own: environment, time zone, locale, name service, loader, lists of exit functions. Finer objects would be more
// concurrent, but the functions call each other inside libc (localtime reads TZ, strerror the locale), and a thread
// that waits for its turn with a lock of libc held can stop a replay for good. Nothing else orders these locks.
//
// `accesses` are the ranged accesses to the program's memory that the real function is about to make.
#pragma once
#undef _FORTIFY_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/runtime.h"

#define ANA_ORDERED(object, result, name, parameters, arguments, ...) \
  ANA_EXPORT result name parameters {                                 \
    ana::KnownSection section(ana::WellKnown::object);                \
    __VA_ARGS__;                                                      \
    return ANA_REAL(name) arguments;                                  \
  }

#define ANA_IN_LIBC(result, name, parameters, arguments, ...) \
  ANA_ORDERED(kLibc, result, name, parameters, arguments, ##__VA_ARGS__)
