#include "debug/replica.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "runtime/host_api.h"
#include "runtime/layout.h"

namespace ana::debug {

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t kDebugOffset = layout::kSession + offsetof(SessionHeader, debug);

uint64_t slot_address(uint32_t slot) { return layout::kSlots + slot * layout::kSlotStride; }

// The slot whose block is at this gs base.
uint32_t slot_at(uint64_t gs) {
  if (gs < layout::kSlots) return kNoSlot;
  uint64_t slot = (gs - layout::kSlots) / layout::kSlotStride;
  return slot < kMaxSlots && slot_address(static_cast<uint32_t>(slot)) == gs ? static_cast<uint32_t>(slot) : kNoSlot;
}

}  // namespace

Replica::Replica(pid_t pid, Interrupter& interrupter) : pid_(pid), interrupter_(interrupter) {
  memory_ = ::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC);
  threads_[pid] = {};
}

Replica::~Replica() {
  ::kill(pid_, SIGKILL);
  // The first thread is the last that can be waited for, so all the others are, also those that nobody knows yet.
  constexpr timespec kMoment{0, 20'000};
  std::string tasks = fmt::format("/proc/{}/task", pid_);
  for (int status;; ::nanosleep(&kMoment, nullptr)) {
    std::error_code gone;
    for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
      auto tid = static_cast<pid_t>(::atol(task->path().filename().c_str()));
      if (tid != pid_) ::waitpid(tid, &status, __WALL | WNOHANG);
    }
    pid_t got = ::waitpid(pid_, &status, __WALL | WNOHANG);
    if ((got == pid_ && !WIFSTOPPED(status)) || (got < 0 && errno != EINTR)) break;
  }
  if (memory_ >= 0) ::close(memory_);
}

Result<std::unique_ptr<Replica>> Replica::adopt(pid_t pid, Interrupter& interrupter) {
  int status;
  if (!wait_for(pid, status) || !WIFSTOPPED(status)) return Error{"the replayed program could not be started"};
  std::unique_ptr<Replica> replica(new Replica(pid, interrupter));
  // The host's trap is not known yet.
  for (;;) {
    auto registers = Tracee(pid).registers();
    if (registers && replica->get<uint32_t>(kDebugOffset) != 0 && registers->rip == replica->control().trap) {
      if (registers->rdi == static_cast<uint64_t>(DebugTrap::kEnd)) return replica;  // with a report
      replica->set_breakpoints({registers->rsi});
      Stop stop = replica->run();
      replica->set_breakpoints({});
      if (stop.kind == Stop::kBreakpoint) return replica;
      return Error{"the replayed program could not be started"};
    }
    if (::ptrace(PTRACE_CONT, pid, nullptr, nullptr) != 0 || !wait_for(pid, status) || !WIFSTOPPED(status))
      return Error{"the replayed program ended before its first instruction"};
  }
}

bool Replica::in_host(uint64_t pc) const { return pc >= layout::kHost && pc < layout::kHost + layout::kHostBytes; }

size_t Replica::read(uint64_t at, void* to, size_t bytes) const {
  auto* bytes_to = static_cast<uint8_t*>(to);
  size_t done = 0;
  while (done < bytes) {
    ssize_t n = ::pread(memory_, bytes_to + done, bytes - done, static_cast<off_t>(at + done));
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  for (auto it = breakpoints_.lower_bound(at); it != breakpoints_.end() && it->first < at + done; ++it)
    bytes_to[it->first - at] = it->second;
  return done;
}

bool Replica::poke(uint64_t at, const void* from, size_t bytes) const {
  return ::pwrite(memory_, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

bool Replica::write(uint64_t at, const void* from, size_t bytes) { return poke(at, from, bytes); }

DebugControl Replica::control() const { return get<DebugControl>(kDebugOffset); }
void Replica::set_control(const DebugControl& control) { poke(kDebugOffset, &control, sizeof control); }
SlotShared Replica::slot(uint32_t i) const { return get<SlotShared>(slot_address(i)); }
SessionHeader Replica::header() const { return get<SessionHeader>(layout::kSession); }
uint64_t Replica::count(uint32_t slot) const { return get<uint64_t>(slot_address(slot) + offsetof(SlotShared, count)); }
uint64_t Replica::scratch() const { return layout::kSession + offsetof(SessionHeader, text); }

void Replica::set_breakpoints(const std::set<uint64_t>& addresses) {
  for (auto it = breakpoints_.begin(); it != breakpoints_.end();) {
    if (addresses.contains(it->first)) {
      ++it;
    } else {
      poke(it->first, &it->second, 1);
      it = breakpoints_.erase(it);
    }
  }
  for (uint64_t at : addresses) {
    if (breakpoints_.contains(at)) continue;
    uint8_t byte;
    if (read(at, &byte, 1) == 1 && poke(at, &kInt3, 1)) breakpoints_[at] = byte;
  }
}

void Replica::set_watches(const std::set<Watch>& watches) {
  if (watches == watches_) return;
  watches_ = watches;
  ++watches_number_;
  stop_all();
}

void Replica::apply_watches(pid_t tid, Thread& thread) {
  if (thread.watches == watches_number_ || (watches_.empty() && thread.watches == 0)) return;
  Tracee tracee(tid);
  tracee.set_debug_register(7, 0);
  uint64_t enabled = 0;
  int n = 0;
  for (const Watch& watch : watches_) {
    if (n == static_cast<int>(kMaxWatches)) break;
    tracee.set_debug_register(n, watch.address);
    uint64_t length = watch.bytes == 8 ? 2 : watch.bytes - 1;
    enabled |= 1ull << (2 * n) | ((length << 2 | (watch.writes_only ? 1 : 3)) << (16 + 4 * n));
    n++;
  }
  if (enabled) tracee.set_debug_register(7, enabled);
  thread.watches = watches_number_;
}

void Replica::set_free() {
  stop_all();
  DebugControl now = control();
  now.serial = 0;
  set_control(now);
  std::vector<uint32_t> turns(kMaxSlots, 1);
  poke(now.turns, turns.data(), turns.size() * sizeof(uint32_t));
}

void Replica::stop_at_count(uint32_t slot, uint64_t count) {
  DebugControl now = control();
  now.stop_slot = slot;
  now.stop_count = count;
  set_control(now);
  // At its next poll the thread looks at what is due, and then at this. A slot that has no thread yet will do so itself.
  if (slot < header().slots_used) {
    uint64_t limit = 0;
    poke(slot_address(slot) + offsetof(SlotShared, limit), &limit, sizeof limit);
  }
}

void Replica::identify(pid_t tid, Thread& thread) const {
  if (thread.slot != kNoSlot || !thread.stopped) return;
  auto registers = Tracee(tid).registers();
  uint32_t slot = registers ? slot_at(registers->gs_base) : kNoSlot;
  // A new thread has that of its creator at first; one that has ended may not have been waited for yet.
  for (auto& [id, other] : threads_)
    if (other.slot == slot && !has_ended(id)) return;
  thread.slot = slot;
}

bool Replica::is_entry(uint64_t pc) const {
  auto api = get<HostApi>(layout::kHostApi);
  auto* entry = reinterpret_cast<const uint64_t*>(&api.check);
  auto* last = reinterpret_cast<const uint64_t*>(&api.is_loader);
  for (; entry <= last; ++entry)
    if (*entry == pc) return true;
  return false;
}

Replica::Thread* Replica::find(uint32_t slot, pid_t& tid) {
  for (bool looked = false;; looked = true) {
    for (auto& [id, thread] : threads_) {
      identify(id, thread);
      // The first thread of the process may have left its slot to another.
      if (thread.slot == slot && (thread.stopped || !has_ended(id))) {
        tid = id;
        return &thread;
      }
    }
    if (looked) return nullptr;
    stop_all();
  }
}

std::vector<uint32_t> Replica::slots() {
  stop_all();
  std::set<uint32_t> all;
  for (auto& [tid, thread] : threads_) {
    identify(tid, thread);
    if (thread.slot != kNoSlot) all.insert(thread.slot);
  }
  return {all.begin(), all.end()};
}

std::optional<Registers> Replica::registers(uint32_t slot) {
  pid_t tid = 0;
  Thread* thread = find(slot, tid);
  if (thread == nullptr) return std::nullopt;
  if (!thread->stopped) stop_all();
  if (!threads_.contains(tid)) return std::nullopt;
  return Tracee(tid).registers();
}

std::optional<Registers> Replica::at_system_call(uint32_t slot) {
  auto now = registers(slot);
  uint64_t stack = this->slot(slot).call_stack;
  bool is_on_it = now && now->rsp < stack && now->rsp >= stack - control().signal_stack_bytes;
  if (!is_on_it || !in_host(now->rip)) return std::nullopt;
  // What patched_call.S has pushed there, in greg_t order.
  uint64_t saved[18];
  if (read(stack - sizeof saved, saved, sizeof saved) != sizeof saved) return std::nullopt;
  Registers then = *now;
  unsigned long long* const fields[] = {&then.r8,  &then.r9,  &then.r10, &then.r11, &then.r12, &then.r13,
                                        &then.r14, &then.r15, &then.rdi, &then.rsi, &then.rbp, &then.rbx,
                                        &then.rdx, &then.rax, &then.rcx, &then.rsp, &then.rip, &then.eflags};
  for (size_t i = 0; i < std::size(fields); i++) *fields[i] = saved[i];
  // As a system call leaves them: else something else is on this stack.
  bool is_call = then.rcx == then.rip && then.r11 == then.eflags && then.rip != 0 && !in_host(then.rip);
  return is_call ? std::optional(then) : std::nullopt;
}

void Replica::set_registers(uint32_t slot, const Registers& registers) {
  pid_t tid = 0;
  if (!this->registers(slot) || find(slot, tid) == nullptr) return;
  Registers clean = registers;
  clean.orig_rax = ~0ull;
  clean.eflags &= ~0x100ull;
  Tracee(tid).set_registers(clean);
}

std::vector<char> Replica::vector_state(uint32_t slot) {
  if (!registers(slot)) return {};
  pid_t tid = 0;
  find(slot, tid);
  return Tracee(tid).vector_state();
}

}  // namespace ana::debug
