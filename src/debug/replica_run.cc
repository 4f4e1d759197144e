// Running a replica, and what its stops mean.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include <chrono>

#include "debug/reaper.h"
#include "debug/replica.h"

namespace ana::debug {

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint16_t kRepeatedMove = 0xa4f3;  // rep movsb, which the host copies with
constexpr uint64_t kContextRip = 168;  // of the kernel's ucontext
constexpr uint64_t kTrampolineResume = 48;
constexpr uint8_t kPushFlags = 0x9c;
constexpr uint64_t kTrapFlag = 0x100;

bool wait_unless_ended(pid_t tid, int& status) {
  constexpr timespec kMoment{0, 20'000};
  for (;;) {
    pid_t got = ::waitpid(tid, &status, __WALL | WNOHANG);
    if (got == tid) return true;
    if ((got < 0 && errno != EINTR) || has_ended(tid)) return false;
    ::nanosleep(&kMoment, nullptr);
  }
}

}  // namespace

void Replica::stop_thread(pid_t tid, Thread& thread) {
  if (thread.stopped) return;
  int status;
  bool running = ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr) == 0;
  // The first thread of a process that has ended before the others tells nothing until they have.
  if (tid == pid_ && (!running || !wait_unless_ended(tid, status))) return;
  if (tid != pid_ && !reaper().wait_for(tid, status)) return;
  thread.stopped = WIFSTOPPED(status);
  if (thread.stopped && status >> 16 != PTRACE_EVENT_STOP) thread.pending = status;
}

void Replica::stop_all() {
  for (auto it = threads_.begin(); it != threads_.end();) {
    stop_thread(it->first, it->second);
    it = it->second.stopped ? std::next(it) : threads_.erase(it);
  }
}

bool Replica::resume(pid_t tid, Thread& thread, int request, int signal) {
  apply_watches(tid, thread);
  if (::ptrace(static_cast<__ptrace_request>(request), tid, nullptr, signal) != 0) return false;
  thread.stopped = false;
  return true;
}

void Replica::resume_others(pid_t but) {
  for (auto& [tid, thread] : threads_)
    if (tid != but && thread.stopped && !thread.pending) resume(tid, thread, PTRACE_CONT);
}

Replica::Waited Replica::wait(int milliseconds) {
  auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    for (auto& [tid, thread] : threads_)
      if (thread.stopped && thread.pending) return {tid, std::exchange(thread.pending, 0)};
    int status;
    while (pid_t tid = reaper().poll(status)) {
      auto it = threads_.find(tid);
      if (it == threads_.end()) {
        // A new thread, perhaps before its creator has told of it.
        if (!WIFSTOPPED(status)) continue;
        resume(tid, threads_[tid] = {}, PTRACE_CONT);
        continue;
      }
      it->second.stopped = true;
      if (!WIFSTOPPED(status)) {
        threads_.erase(it);
        if (threads_.empty() || tid == pid_) return {};
        continue;
      }
      return {tid, status};
    }
    if (threads_.empty()) return {};
    int left = -1;
    if (milliseconds != 0) {
      auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (ms <= 0) return {0, 0, Stop::kTime};
      left = static_cast<int>(ms);
    }
    int nap = idle_milliseconds();
    if (nap >= 0 && (left < 0 || nap < left)) left = nap;
    if (reaper().sleep(interrupter_.fd(), left)) {
      if (interrupter_.wants_interrupt()) return {0, 0, Stop::kInterrupted};
    } else {
      idle();
    }
  }
}

bool Replica::wants_interrupt() { return reaper().sleep(interrupter_.fd(), 0) && interrupter_.wants_interrupt(); }

// Its first stop may come much later; until then nobody may take the others for all that there are. Or it has come, and
// the thread has ended since.
void Replica::enter_created(pid_t creator) {
  unsigned long id = 0;
  if (::ptrace(PTRACE_GETEVENTMSG, creator, nullptr, &id) != 0) return;
  auto tid = static_cast<pid_t>(id);
  if (!has_ended(tid)) threads_.try_emplace(tid, Thread{.stopped = false});
}

bool Replica::is_caught(int signal) const {
  char path[64], line[256];
  ::snprintf(path, sizeof path, "/proc/%d/status", pid_);
  FILE* file = ::fopen(path, "re");
  if (file == nullptr) return false;
  unsigned long long caught = 0;
  while (::fgets(line, sizeof line, file) != nullptr)
    if (::sscanf(line, "SigCgt: %llx", &caught) == 1) break;
  ::fclose(file);
  return caught >> (signal - 1) & 1;
}

std::optional<Stop> Replica::judge_trap(pid_t tid, Thread& thread, bool stepping) {
  Tracee tracee(tid);
  auto registers = tracee.registers();
  if (!registers) return Stop{};
  // A step through a system call that sleeps may leave the flag behind, as if it were the program's, which never sets it.
  bool left_behind = (registers->eflags & kTrapFlag) != 0;
  if (left_behind) {
    registers->eflags &= ~kTrapFlag;
    tracee.set_registers(*registers);
  }
  Stop stop;
  stop.slot = thread.slot;
  stop.address = registers->rip;
  if (!watches_.empty()) {
    uint64_t hit = tracee.debug_register(6) & 15;
    tracee.set_debug_register(6, 0);
    int n = 0;
    for (const Watch& watch : watches_)
      if (hit >> n++ & 1) {
        stop.kind = Stop::kWatch;
        stop.address = watch.address;
        stop.hits = static_cast<uint32_t>(hit);
        return stop;
      }
  }
  if (registers->rip == control().trap && !breakpoints_.contains(registers->rip)) {
    stop.kind = Stop::kTrap;
    stop.trap = static_cast<DebugTrap>(registers->rdi);
    return stop;
  }
  siginfo_t info{};
  ::ptrace(PTRACE_GETSIGINFO, tid, nullptr, &info);
  if (info.si_code == SI_KERNEL && breakpoints_.contains(registers->rip - 1)) {
    registers->rip--;
    tracee.set_registers(*registers);
    stop.kind = Stop::kBreakpoint;
    stop.address = registers->rip;
    return stop;
  }
  if (info.si_code == SI_KERNEL && get<uint8_t>(registers->rip - 1) != kInt3) {
    // A breakpoint that was removed before this stop was looked at.
    registers->rip--;
    tracee.set_registers(*registers);
    return std::nullopt;
  }
  if (left_behind && !stepping && info.si_code == TRAP_TRACE) return std::nullopt;
  stop.kind = Stop::kStep;
  if (stepping || info.si_code == TRAP_TRACE) return stop;
  stop.kind = Stop::kSignal;  // of the program's own making
  stop.signal = SIGTRAP;
  return stop;
}

std::optional<Stop> Replica::judge(pid_t tid, int status, bool stepping) {
  Thread& thread = threads_[tid];
  identify(tid, thread);
  int event = status >> 16, signal = WSTOPSIG(status);
  if (event == PTRACE_EVENT_CLONE) enter_created(tid);
  if (event != 0) return judge_event(tid, event);
  if (signal == SIGTRAP) return judge_trap(tid, thread, stepping);
  if (signal == SIGSTOP || signal == SIGCHLD || signal == SIGCONT || signal == SIGWINCH) return std::nullopt;
  if (signal == SIGSYS || is_caught(signal)) {
    resume(tid, thread, stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, signal);
    return std::nullopt;
  }
  Stop stop;
  stop.kind = Stop::kSignal;
  stop.slot = thread.slot;
  stop.signal = signal;
  // It is to be seen again if the process is run on.
  thread.pending = status;
  return stop;
}

Stop Replica::run(int milliseconds) {
  if (gone_) return {};
  pid_t tid = 0;
  Thread* thread = find(holder(), tid);
  auto registers = thread != nullptr ? Tracee(tid).registers() : std::nullopt;
  if (registers && thread->stopped && !thread->pending && breakpoints_.contains(registers->rip)) {
    Stop stop = step(thread->slot);
    if (stop.kind != Stop::kStep) return stop;
  }
  resume_others(0);
  for (;;) {
    Waited got = wait(milliseconds);
    if (got.tid == 0) {
      if (got.why == Stop::kGone) {
        gone_ = true;
        return {};
      }
      stop_all();
      Stop stop;
      stop.kind = got.why;
      stop.slot = holder();
      return stop;
    }
    auto stop = judge(got.tid, got.status, false);
    if (stop) return *stop;
    auto it = threads_.find(got.tid);
    if (it != threads_.end() && it->second.stopped) resume(got.tid, it->second, PTRACE_CONT);
  }
}

Stop Replica::step(uint32_t slot) {
  pid_t tid = 0;
  Thread* thread = find(slot, tid);
  if (thread == nullptr || gone_) return {};
  if (!thread->stopped) stop_all();
  if (thread->pending) {
    auto stop = judge(tid, std::exchange(thread->pending, 0), true);
    if (stop) return *stop;
  }
  auto registers = Tracee(tid).registers();
  uint64_t at = registers ? registers->rip : 0;
  auto breakpoint = breakpoints_.find(at);
  bool hidden = breakpoint != breakpoints_.end();
  uint8_t byte = hidden ? breakpoint->second : 0;
  if (hidden) {
    poke(at, &byte, 1);
    breakpoints_.erase(breakpoint);
  }
  if (thread->stopped) resume(tid, *thread, PTRACE_SINGLESTEP);
  Stop stop;
  for (;;) {
    Waited got = wait(0);
    if (got.tid == 0) {
      stop.kind = got.why;
      if (got.why == Stop::kGone) gone_ = true;
      else stop_all();
      break;
    }
    auto judged = judge(got.tid, got.status, got.tid == tid);
    if (judged) {
      stop = *judged;
      break;
    }
    auto it = threads_.find(got.tid);
    if (it != threads_.end() && it->second.stopped)
      resume(got.tid, it->second, got.tid == tid ? PTRACE_SINGLESTEP : PTRACE_CONT);
  }
  if (stop.kind == Stop::kStep && get<uint8_t>(at) == kPushFlags) hide_trap_flag(tid);
  if (hidden) {
    if (poke(at, &kInt3, 1)) breakpoints_[at] = byte;
  }
  return stop;
}

// The flags that it has just pushed have the one by which it was stepped; popped again, it would be the program's own.
void Replica::hide_trap_flag(pid_t tid) {
  auto registers = Tracee(tid).registers();
  if (!registers) return;
  auto flags = get<uint64_t>(registers->rsp) & ~kTrapFlag;
  poke(registers->rsp, &flags, sizeof flags);
}

Stop Replica::leave_host(uint32_t slot) {
  auto registers = this->registers(slot);
  pid_t tid = 0;
  if (!registers || find(slot, tid) == nullptr) return {};
  DebugControl control = this->control();
  std::set<uint64_t> before, temporary;
  for (auto& [at, byte] : breakpoints_) before.insert(at);
  // Just called, or jumped to from patched code: it comes back there, unless it does by the way of handlers.
  uint64_t stack = registers->rsp, back = get<uint64_t>(stack);
  if (registers->rip == control.patched_call) temporary.insert(get<uint64_t>(registers->rcx + kTrampolineResume));
  else if (!in_host(back) && back != 0) temporary.insert(back);
  bool at_entry = registers->rip == control.patched_call || is_entry(registers->rip);
  Stop stop;
  stop.kind = Stop::kStep;
  if (at_entry || back == control.restorer) {
    if (back == control.restorer) temporary.clear();
    for (;;) {
      std::set<uint64_t> all = before;
      all.insert(temporary.begin(), temporary.end());
      all.insert({control.restorer, control.sigreturn});
      set_breakpoints(all);
      stop = run();
      if (stop.kind != Stop::kBreakpoint) break;
      bool mine = stop.slot == slot;
      // A handler may call the same again.
      bool inner = stop.address == back && this->registers(slot)->rsp != stack + 8;
      if (mine && temporary.contains(stop.address) && !inner) {
        stop.kind = Stop::kStep;
        break;
      }
      if (mine && (stop.address == control.restorer || stop.address == control.sigreturn)) {
        registers = this->registers(slot);
        uint64_t context = stop.address == control.restorer ? registers->rsp : registers->rdi;
        auto next = get<uint64_t>(context + kContextRip);
        if (!in_host(next)) temporary.insert(next);
        continue;
      }
      if (before.contains(stop.address)) break;
    }
    set_breakpoints(before);
    return stop;
  }
  // Somewhere inside.
  for (;;) {
    registers = this->registers(slot);
    if (!registers || !in_host(registers->rip)) return stop;
    resume_others(tid);
    if (get<uint16_t>(registers->rip) == kRepeatedMove) {
      set_breakpoints({registers->rip + sizeof kRepeatedMove});
      stop = run();
      set_breakpoints(before);
      if (stop.kind == Stop::kBreakpoint) stop.kind = Stop::kStep;
    } else {
      stop = step(slot);
    }
    if (stop.kind != Stop::kStep) return stop;
  }
}

}  // namespace ana::debug
