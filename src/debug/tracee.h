// One traced thread of the kernel's, stopped: its registers, and system calls that it is made to execute. The tool that
// traces has one thread, which calls all of this.
#pragma once
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include <optional>
#include <string>
#include <vector>

namespace ana::debug {

using Registers = user_regs_struct;
constexpr uint8_t kInt3 = 0xcc;

// What a thread has besides memory.
struct ThreadState {
  Registers registers{};
  std::vector<char> vector_state;
  uint64_t signal_mask = 0;
  uint64_t robust_list = 0, robust_bytes = 0;
};

class Tracee {
 public:
  explicit Tracee(pid_t tid) : tid_(tid) {}
  pid_t tid() const { return tid_; }

  std::optional<Registers> registers() const;
  bool set_registers(const Registers& registers) const;
  std::vector<char> vector_state() const;
  bool set_vector_state(const std::vector<char>& state) const;
  bool save(ThreadState& state) const;
  bool restore(const ThreadState& state) const;

  // Makes the thread execute the system call at `instruction`, with `stack` as its stack pointer; its registers are lost.
  // `created`, if not null, gets the thread or process that the call makes.
  std::optional<long> call(uint64_t instruction, uint64_t stack, long number, std::vector<uint64_t> arguments,
                           pid_t* created = nullptr) const;
  bool set_debug_register(int n, uint64_t value) const;
  uint64_t debug_register(int n) const;

 private:
  pid_t tid_;
};

// Registers with which an interrupted system call is begun again.
Registers begin_call_again(Registers registers);
// waitpid() for this thread alone, uninterrupted.
bool wait_for(pid_t tid, int& status);
bool has_ended(pid_t tid);

}  // namespace ana::debug
