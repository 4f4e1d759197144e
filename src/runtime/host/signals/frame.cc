#include "runtime/host/signals/frame.h"

#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/slot.h"

namespace ana {
namespace {

constexpr uint64_t kFlagsOfHandlers = ~((1ull << 8) | (1ull << 10) | (1ull << 16));  // no trap, direction, resume
constexpr uint32_t kLegacyBytes = 512, kInitialMxcsr = 0x1f80, kExtendedMagic = 0x46505853;

template <class T>
T& at_offset(char* state, uint32_t offset) {
  return *reinterpret_cast<T*>(state + offset);
}

// linux/sigcontext.h: the last 48 bytes of the legacy area say how much more there is.
bool is_extended(char* state) { return at_offset<uint32_t>(state, 464) == kExtendedMagic; }

uint64_t state_bytes(char* state) {
  if (!state) return 0;
  return is_extended(state) ? at_offset<uint32_t>(state, 468) : kLegacyBytes;
}

// Handlers begin with the vector registers as a program begins with them.
void reset_state(char* state) {
  if (!state || !is_extended(state)) return;
  at_offset<uint32_t>(state, 24) = kInitialMxcsr;
  at_offset<uint64_t>(state, kLegacyBytes) = 0;  // no component is in use
}

}  // namespace

uint64_t frame_address(const KernelContext& user, uint64_t top) {
  uint64_t state = align_down(top - state_bytes(user.vector_state), 64);
  return align_down(state - sizeof(HandlerFrame), 16) - 8;  // as after a call
}

// The kernel puts a mask there, or says that it cannot.
bool is_writable(uint64_t from, uint64_t to) {
  for (uint64_t at = from; at < to; at = align_down(at, 4096) + 4096)
    if (is_error(raw(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, at, 8))) return false;
  return true;
}

HandlerFrame* make_frame(KernelContext& user, uint64_t at, uint64_t room, int signal, const SignalRecord& record) {
  auto* frame = reinterpret_cast<HandlerFrame*>(at);
  uint64_t bytes = state_bytes(user.vector_state), state = align_up(at + sizeof(HandlerFrame), 64);
  if (state + bytes > room)
    fatal(ReportKind::kUnsupportedFeature, "a handler of a signal on a processor with larger vector registers");
  memset(frame, 0, sizeof(*frame));
  frame->restorer = record.restorer;
  frame->context = user;
  memcpy(&frame->info, record.info, sizeof(record.info));
  frame->magic = kHandlerFrameMagic;
  if (bytes) {
    memcpy(reinterpret_cast<void*>(state), user.vector_state, bytes);
    frame->context.vector_state = reinterpret_cast<char*>(state);
  }
  reset_state(user.vector_state);
  user.registers[REG_RDI] = static_cast<uint64_t>(signal);
  user.registers[REG_RSI] = reinterpret_cast<uint64_t>(&frame->info);
  user.registers[REG_RDX] = reinterpret_cast<uint64_t>(&frame->context);
  user.registers[REG_RAX] = 0;
  user.registers[REG_RSP] = at;
  user.registers[REG_RIP] = record.handler;
  user.registers[REG_EFL] &= kFlagsOfHandlers;
  return frame;
}

void take_frame_down(KernelContext& user, const HandlerFrame& frame) {
  memcpy(user.registers, frame.context.registers, sizeof(user.registers));
  char* state = frame.context.vector_state;
  if (user.vector_state && state_bytes(state) <= state_bytes(user.vector_state))
    memcpy(user.vector_state, state, state_bytes(state));
}

}  // namespace ana
