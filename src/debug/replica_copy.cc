// Copies of a replica.
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "debug/replica.h"

namespace ana::debug {

namespace {

constexpr uint64_t kThreadFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                  CLONE_SETTLS | CLONE_CHILD_CLEARTID;
constexpr uint64_t kScratchStack = 1024;  // system calls need none, but look whether it is the signal stack
constexpr uint64_t kDispatchOn = 1;       // PR_SYS_DISPATCH_ON

uint64_t address_in_slot(const DebugControl& control, uint32_t slot, uint64_t offset) {
  return control.slots + slot * control.slot_bytes + offset;
}

bool wait_until_stopped(pid_t tid) {
  int status;
  return wait_for(tid, status) && WIFSTOPPED(status);
}

}  // namespace

// What the kernel does not copy.
bool Replica::rearm(pid_t tid, uint32_t slot, const ThreadState& state) {
  DebugControl control = this->control();
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(address_in_slot(control, slot, control.signal_stack));
  stack.ss_size = control.signal_stack_bytes;
  poke(scratch(), &stack, sizeof stack);
  Tracee tracee(tid);
  auto call = [&](long number, std::vector<uint64_t> arguments) {
    auto result = tracee.call(control.system_call, scratch() + kScratchStack, number, std::move(arguments));
    return result && *result == 0;
  };
  return call(SYS_sigaltstack, {scratch(), 0}) &&
         call(SYS_prctl, {PR_SET_SYSCALL_USER_DISPATCH, kDispatchOn, control.dispatch_begin, control.dispatch_bytes,
                          control.dispatch_selector}) &&
         (state.robust_list == 0 || call(SYS_set_robust_list, {state.robust_list, state.robust_bytes})) &&
         tracee.restore(state);
}

bool Replica::recreate(Replica& child, const std::map<uint32_t, ThreadState>& states, uint32_t forked) {
  DebugControl control = this->control();
  Tracee first(child.pid_);
  for (auto& [slot, state] : states) {
    if (slot == forked) continue;
    auto tid_word = get<uint64_t>(address_in_slot(control, slot, control.clear_tid));
    pid_t tid = 0;
    auto result = first.call(control.system_call, scratch() + kScratchStack, SYS_clone,
                             {kThreadFlags, scratch() + kScratchStack, 0, tid_word, state.registers.fs_base}, &tid);
    if (!result || *result < 0 || tid == 0 || !wait_until_stopped(tid)) return false;
    child.threads_[tid].slot = slot;
    if (!child.rearm(tid, slot, state)) return false;
  }
  return child.rearm(child.pid_, forked, states.at(forked));
}

std::unique_ptr<Replica> Replica::copy() {
  stop_all();
  DebugControl control = this->control();
  std::map<uint32_t, ThreadState> states;
  for (uint32_t slot : slots()) {
    pid_t tid = 0;
    if (find(slot, tid) == nullptr || !Tracee(tid).save(states[slot])) return nullptr;
  }
  if (states.empty()) return nullptr;
  uint32_t forked = states.contains(control.holder) ? control.holder : states.begin()->first;
  pid_t tid = 0, pid = 0;
  find(forked, tid);
  Tracee parent(tid);
  auto tid_word = get<uint64_t>(address_in_slot(control, forked, control.clear_tid));
  // The tool is the parent of them all, so that none is left for a replica to wait for.
  auto result = parent.call(control.system_call, scratch() + kScratchStack, SYS_clone,
                            {SIGCHLD | CLONE_PARENT | CLONE_CHILD_CLEARTID, 0, 0, tid_word, 0}, &pid);
  parent.restore(states.at(forked));
  if (!result || *result < 0 || pid == 0 || !wait_until_stopped(pid)) return nullptr;
  std::unique_ptr<Replica> child(new Replica(pid, interrupter_));
  child->threads_[pid].slot = forked;
  child->breakpoints_ = breakpoints_;
  if (!recreate(*child, states, forked)) return nullptr;
  return child;
}

}  // namespace ana::debug
