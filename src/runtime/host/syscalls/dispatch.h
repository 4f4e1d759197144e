// Every system call of the program arrives here: from patched code (patches.h), by SIGSYS (Syscall User Dispatch) or by
// a direct call of the linked part.
#pragma once
#include <stdint.h>

#include "runtime/host/signals/frame.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/syscalls/table.h"

namespace ana {

// Installs the SIGSYS handler. The calling thread is armed by thread_arm().
void dispatch_init();

// `registers`, in greg_t order, are those of the program at a dispatched or patched call; null at a direct one.
long system_call(long number, long* args, uint64_t* registers);

// The dispatched or patched call that the calling thread is in, or null.
struct DispatchedCall {
  KernelContext* context;  // null if patched
  uint64_t* registers;     // of the context; the first kSavedRegisters if patched
  bool left;               // a handler has been put before what follows: the context is complete
  bool wants_context;      // patched, and goes on in the handler of the SIGSYS that the thread sends itself
};
constexpr uint32_t kSavedRegisters = 18;  // up to the flags; known to patched_call.S
DispatchedCall* current_call();
// The thread goes on without returning from it.
void forget_call();

// Enters the handler of a signal that is due, before a system call or after it. True if the call is to be begun again
// or, if it was dispatched, goes on with the handler; a direct one has come back from it.
bool enter_due_handler(Slot& slot, long number, const long* args, long result, SignalPoint point);
inline bool interrupt_call(Slot& slot, long number, const long* args, long result, SignalPoint point) {
  return is_signal_due(slot, point) && enter_due_handler(slot, number, args, result, point);
}

// A direct call, for HostApi.
long direct_system_call(long number, long a, long b, long c, long d, long e, long f);

// Does what a row of kind kLog says.
long logged_call(const SyscallRow& row, long number, long* args);

// Logs (record) or takes from the log (replay) a call's result and one block of bytes that it put at `to`.
long logged_result(long number, long result, void* to, uint32_t length);

// A buffer of the calling thread's of at least `size` bytes, or null if there is no memory for it.
void* bounce_buffer(uint64_t size);

}  // namespace ana
