// struct sigaction as the kernel takes it, for those who install handlers without a C library.
#pragma once
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/host/freestanding.h"

namespace ana {

using SignalHandler = void(int, siginfo_t*, void*);

struct KernelSigaction {
  SignalHandler* handler;
  uint64_t flags;
  void (*restorer)();
  uint64_t mask;
};
constexpr uint64_t kSaRestorer = 0x04000000;

// On the dispatch's stack, whatever signals are blocked; the way back is one that is let through. Null: the default.
inline void install_handler(long signal, SignalHandler* handler) {
  uint64_t flags = handler ? SA_SIGINFO | SA_NODEFER | SA_ONSTACK : 0;
  KernelSigaction action{handler, flags | kSaRestorer, ana_sigaction_restorer, 0};
  raw(SYS_rt_sigaction, signal, &action, nullptr, 8);
}

}  // namespace ana
