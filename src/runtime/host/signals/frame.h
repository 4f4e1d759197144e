// The frame of a handler, as the kernel makes it: return address, context, siginfo; the vector registers above. Made by
// the host on the program's stack, so that the handler finds what it would find without us; taken down by the kernel
// itself.
#pragma once
#include <signal.h>
#include <stdint.h>

#include "trace/stream_format.h"

namespace ana {

// The kernel's struct ucontext. The C library's is larger.
struct KernelContext {
  uint64_t flags, link;
  stack_t stack;
  uint64_t registers[23];      // greg_t order
  char* vector_state;
  uint64_t reserved[8];
  uint64_t mask;
};
static_assert(sizeof(KernelContext) == 304);

struct HandlerFrame {
  uint64_t restorer;
  KernelContext context;
  siginfo_t info;
  // Ours, for the way back.
  uint64_t magic;
  uint64_t step_return;        // SlotShared's
  uint32_t in_wait;            // Slot's
  uint32_t is_fault;
};
constexpr uint64_t kSyscallBytes = 2;  // of the instruction
constexpr uint64_t kHandlerFrameMagic = 0x656d617266616e61ull;

// Where the handler's stack pointer will be for a context, if its stack begins below `top`.
uint64_t frame_address(const KernelContext& user, uint64_t top);
// The memory from `from` up to `to` can be written.
bool is_writable(uint64_t from, uint64_t to);
// The frame at `at`, which returns to `user`; then `user` is where the handler begins. `room`: end of what may be used.
HandlerFrame* make_frame(KernelContext& user, uint64_t at, uint64_t room, int signal, const SignalRecord& record);
// `user` is what the frame's handler interrupted; the frame is not needed any more.
void take_frame_down(KernelContext& user, const HandlerFrame& frame);

}  // namespace ana
