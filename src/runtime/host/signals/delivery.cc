#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/host/order/operation.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/patches.h"

extern "C" {
void ana_dispatched_restorer();
[[noreturn]] void ana_raw_sigreturn(ana::KernelContext* context);
}

namespace ana {
namespace {

constexpr uint64_t kRedZone = 128;
// Below a poll or a wait, whose functions have other frames in a replay, or in another build of the host.
constexpr uint64_t kRoomForRuntime = 2048;

bool is_in(const stack_t& stack, uint64_t at) {
  auto base = reinterpret_cast<uint64_t>(stack.ss_sp);
  return at > base && at <= base + stack.ss_size;
}

bool changes_stack(const ThreadSignals& mine, uint64_t stack_pointer, const SignalRecord& record) {
  return (record.flags & SA_ONSTACK) && mine.stack.ss_size && !is_in(mine.stack, stack_pointer);
}

// The end of the stack that the handler may use.
uint64_t stack_top(const ThreadSignals& mine, uint64_t stack_pointer, const SignalRecord& record) {
  if (!changes_stack(mine, stack_pointer, record)) return stack_pointer - kRedZone;
  return reinterpret_cast<uint64_t>(mine.stack.ss_sp) + mine.stack.ss_size;
}

bool is_in_runtime(const SignalRecord& record) {
  auto point = static_cast<SignalPoint>(record.point);
  return point == SignalPoint::kPoll || point == SignalPoint::kWait;
}

// Record: where the handler's frame is to be.
uint64_t choose_place(const ThreadSignals& mine, const KernelContext& user, const SignalRecord& record,
                      bool in_runtime) {
  uint64_t stack_pointer = user.registers[REG_RSP];
  bool leaves_room = in_runtime && !changes_stack(mine, stack_pointer, record);
  return frame_address(user, stack_top(mine, stack_pointer, record) - (leaves_room ? kRoomForRuntime : 0));
}

const SignalRecord& next_record(const Slot& slot) {
  return *static_cast<const SignalRecord*>(value_bytes(reinterpret_cast<const ScheduledValue*>(slot.replay.values)));
}

int take_from_log(Slot& slot, SignalRecord& record) {
  ++slot.replay.next_signal;
  return static_cast<int>(get_value(slot, kOpSignal, &record, sizeof(record)));
}

void describe_action(const KernelSigaction& action, SignalRecord& record) {
  record.handler = reinterpret_cast<uint64_t>(action.handler);
  record.flags = action.flags;
  record.mask = action.mask;
  record.restorer = reinterpret_cast<uint64_t>(action.flags & kSaRestorer ? action.restorer : ana_dispatched_restorer);
}

// The handler's frame at record.stack, below `top`; the thread's mask is the handler's.
HandlerFrame* enter(Slot& slot, KernelContext& user, uint64_t top, int signal, const SignalRecord& record) {
  ThreadSignals& mine = g_signals[slot.id];
  uint64_t after = mine.mask;
  if (mine.during) mine.mask = *mine.during;
  mine.during = nullptr;
  if (record.flags & SA_RESETHAND) set_action(signal, {});
  HandlerFrame* frame = make_frame(user, record.stack, top, signal, record);
  frame->context.mask = after;
  frame->step_return = slot.shared->step_return;
  frame->in_wait = slot.in_wait;
  slot.shared->step_return = 0;
  slot.in_wait = false;
  set_mask(slot, mine.mask | record.mask | (record.flags & SA_NODEFER ? 0 : bit_of(signal)));
  user.mask = kernel_mask(slot);
  return frame;
}

HandlerFrame* log_and_enter(Slot& slot, KernelContext& user, int signal, SignalRecord& record, bool in_runtime) {
  ThreadSignals& mine = g_signals[slot.id];
  if (recording()) {
    record.stack = choose_place(mine, user, record, in_runtime);
    put_value(slot, kOpSignal, signal, &record, sizeof(record));
  }
  return enter(slot, user, stack_top(mine, user.registers[REG_RSP], record), signal, record);
}

// When a handler is left, and before what it interrupted goes on. As in the kernel the first frame is down before the
// next is made, or signals that keep coming would fill the stack. What was interrupted may be in the runtime.
void enter_next_handler(Slot& slot, KernelContext& user, const HandlerFrame& left, int signal, SignalRecord& record) {
  slot.shared->step_return = left.step_return;
  slot.in_wait = left.in_wait;
  uint32_t is_fault = left.is_fault;
  take_frame_down(user, left);
  log_and_enter(slot, user, signal, record, true)->is_fault = is_fault;
}

}  // namespace

bool is_signal_logged(const Slot& slot, SignalPoint point) {
  return __builtin_expect(next_is(slot, kOpSignal), 0) && next_record(slot).point == static_cast<uint32_t>(point);
}

int take_signal(Slot& slot, SignalPoint point, bool may_restart, SignalRecord& record) {
  if (replaying()) return is_signal_due(slot, point) ? take_from_log(slot, record) : 0;
  while (slot.shared->signals) {
    int signal = __builtin_ctzll(slot.shared->signals) + 1;
    record = {};
    memcpy(record.info, &g_signals[slot.id].info[signal], sizeof(record.info));
    record.point = static_cast<uint32_t>(point);
    __atomic_and_fetch(&slot.shared->signals, ~bit_of(signal), __ATOMIC_RELAXED);
    describe_action(action_of(signal), record);
    record.restarts = may_restart && (record.flags & SA_RESTART);
    if (is_function(action_of(signal).handler)) return signal;
    if (action_of(signal).handler == kDefault) take_default(signal);
  }
  return 0;
}

void enter_handler(Slot& slot, KernelContext& user, int signal, SignalRecord& record) {
  log_and_enter(slot, user, signal, record, is_in_runtime(record));
}

bool enter_fault_handler(Slot& slot, KernelContext& user, int signal, const siginfo_t& info) {
  const ThreadSignals& mine = g_signals[slot.id];
  if (mine.mask & bit_of(signal)) return false;
  SignalRecord record{};
  memcpy(record.info, &info, sizeof(record.info));
  record.point = static_cast<uint32_t>(SignalPoint::kAfter);
  describe_action(action_of(signal), record);
  uint64_t top = stack_top(mine, user.registers[REG_RSP], record);
  record.stack = frame_address(user, top);
  if (!is_writable(record.stack, top)) return false;
  enter(slot, user, top, signal, record)->is_fault = 1;
  return true;
}

bool deliver_here(Slot& slot, SignalPoint point, bool may_restart, bool* restarts) {
  SignalRecord record;
  int signal = take_signal(slot, point, may_restart, record);
  if (!signal) return false;
  if (restarts) *restarts = record.restarts;
  ThreadSignals& mine = g_signals[slot.id];
  mine.here = &record;
  mine.here_signal = signal;
  raw(SYS_tgkill, raw(SYS_getpid), raw(SYS_gettid), SIGSYS);
  return true;
}

void leave_handler(Slot& slot, KernelContext& user) {
  auto* frame = reinterpret_cast<HandlerFrame*>(user.registers[REG_RSP] - sizeof(HandlerFrame::restorer));
  if (frame->magic != kHandlerFrameMagic)
    fatal(ReportKind::kUnsupportedFeature, "rt_sigreturn by a program that is not in a handler");
  set_mask(slot, frame->context.mask);  // more may come now
  operation_end(slot);  // of the interruption
  SignalRecord record;
  if (int signal = take_signal(slot, SignalPoint::kBefore, false, record))
    return enter_next_handler(slot, user, *frame, signal, record);
  slot.shared->step_return = frame->step_return;
  slot.in_wait = frame->in_wait;
  // The interrupted loop may have the count in a register, and does not know what the handler counted.
  if (frame->is_fault) __atomic_store_n(&slot.shared->limit, 0, __ATOMIC_RELAXED);
  take_pins(slot);
  frame->context.mask = kernel_mask(slot);
  frame->context.registers[REG_RIP] = translated_code(continuation(frame->context.registers[REG_RIP]));
  forget_call();
  ana_raw_sigreturn(&frame->context);
}

}  // namespace ana
