#include "debug/tracee.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

namespace ana::debug {

namespace {

constexpr size_t kMaxVectorState = 16384;
constexpr size_t kSyscallBytes = 2;
// The kernel's codes for "to be begun again", which no program sees.
constexpr long kRestartFirst = -516, kRestartLast = -512;

}  // namespace

bool has_ended(pid_t tid) {
  char path[64], line[256] = "";
  ::snprintf(path, sizeof path, "/proc/%d/stat", tid);
  FILE* file = ::fopen(path, "re");
  if (file == nullptr) return true;
  bool read = ::fgets(line, sizeof line, file) != nullptr;
  ::fclose(file);
  const char* state = ::strrchr(line, ')');
  return !read || state == nullptr || state[2] == 'Z' || state[2] == 'X';
}

bool wait_for(pid_t tid, int& status) {
  for (;;) {
    pid_t got = ::waitpid(tid, &status, __WALL);
    if (got == tid) return true;
    if (got < 0 && errno == EINTR) continue;
    return false;
  }
}

Registers begin_call_again(Registers registers) {
  auto result = static_cast<long>(registers.rax);
  if (static_cast<long>(registers.orig_rax) >= 0 && result >= kRestartFirst && result <= kRestartLast) {
    registers.rip -= kSyscallBytes;
    registers.rax = registers.orig_rax;
  }
  registers.orig_rax = ~0ull;
  return registers;
}

std::optional<Registers> Tracee::registers() const {
  Registers registers;
  if (::ptrace(PTRACE_GETREGS, tid_, nullptr, &registers) != 0) return std::nullopt;
  return registers;
}

bool Tracee::set_registers(const Registers& registers) const {
  return ::ptrace(PTRACE_SETREGS, tid_, nullptr, &registers) == 0;
}

std::vector<char> Tracee::vector_state() const {
  std::vector<char> state(kMaxVectorState);
  iovec part{state.data(), state.size()};
  if (::ptrace(PTRACE_GETREGSET, tid_, NT_X86_XSTATE, &part) != 0) part.iov_len = 0;
  state.resize(part.iov_len);
  return state;
}

bool Tracee::set_vector_state(const std::vector<char>& state) const {
  iovec part{const_cast<char*>(state.data()), state.size()};
  return ::ptrace(PTRACE_SETREGSET, tid_, NT_X86_XSTATE, &part) == 0;
}

bool Tracee::save(ThreadState& state) const {
  auto got = registers();
  if (!got) return false;
  state.registers = begin_call_again(*got);
  state.vector_state = vector_state();
  if (::ptrace(PTRACE_GETSIGMASK, tid_, sizeof state.signal_mask, &state.signal_mask) != 0) return false;
  return ::syscall(SYS_get_robust_list, tid_, &state.robust_list, &state.robust_bytes) == 0;
}

bool Tracee::restore(const ThreadState& state) const {
  return set_registers(state.registers) && set_vector_state(state.vector_state) &&
         ::ptrace(PTRACE_SETSIGMASK, tid_, sizeof state.signal_mask, &state.signal_mask) == 0;
}

std::optional<long> Tracee::call(uint64_t instruction, uint64_t stack, long number, std::vector<uint64_t> arguments,
                                 pid_t* created) const {
  auto now = registers();
  if (!now) return std::nullopt;
  arguments.resize(6);
  now->rip = instruction;
  now->rsp = stack;
  now->orig_rax = ~0ull;
  now->rax = static_cast<uint64_t>(number);
  now->rdi = arguments[0], now->rsi = arguments[1], now->rdx = arguments[2];
  now->r10 = arguments[3], now->r8 = arguments[4], now->r9 = arguments[5];
  if (!set_registers(*now)) return std::nullopt;
  for (;;) {
    int status;
    if (::ptrace(PTRACE_SINGLESTEP, tid_, nullptr, nullptr) != 0 || !wait_for(tid_, status) || !WIFSTOPPED(status))
      return std::nullopt;
    int event = status >> 16;
    if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK) {
      unsigned long id = 0;
      ::ptrace(PTRACE_GETEVENTMSG, tid_, nullptr, &id);
      if (created != nullptr) *created = static_cast<pid_t>(id);
    } else if (event == 0 && WSTOPSIG(status) == SIGTRAP) {
      break;
    }
  }
  now = registers();
  if (!now) return std::nullopt;
  return static_cast<long>(now->rax);
}

bool Tracee::set_debug_register(int n, uint64_t value) const {
  return ::ptrace(PTRACE_POKEUSER, tid_, offsetof(user, u_debugreg) + 8 * static_cast<size_t>(n), value) == 0;
}

uint64_t Tracee::debug_register(int n) const {
  return static_cast<uint64_t>(
      ::ptrace(PTRACE_PEEKUSER, tid_, offsetof(user, u_debugreg) + 8 * static_cast<size_t>(n), nullptr));
}

}  // namespace ana::debug
