// The end of a program. After the last destructor the C library flushes its files by itself, past the wrappers, while
// other threads may still print: so the thread that ends the program takes stdout and stderr before, and keeps them.
#include <stdio.h>

#include "runtime/interpose/runtime.h"

namespace {

// Priority 101: after all destructors of the program.
__attribute__((destructor(101))) void keep_output() {
  if (ana::passive()) return;
  ana::g_host->section_enter(stdout, false);
  ana::g_host->section_enter(stderr, false);
}

}  // namespace
