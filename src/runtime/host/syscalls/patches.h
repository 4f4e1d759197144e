// System calls without a signal: `syscall` instructions of mapped files become jumps into the host.
//
// When code is mapped, before any thread can run it, patch_text() looks for two shapes and replaces five bytes:
//
//   mov $number, %eax; syscall      the mov. The syscall stays: whoever jumps to it is dispatched.
//   syscall; cmp $-4096, %rax       the syscall and the beginning of the cmp (or of one with %eax, or with -4095), if
//                                   no jump of this code has the cmp as its target; the trampoline repeats the cmp.
//
// Any other syscall is left to the dispatch, as are those whose number says that they need a signal's context. A
// trampoline, close enough for a jump, has the replaced instruction and goes to ana_patched_call (patched_call.S);
// if the thread is not recorded (SlotShared.call_stack is 0), to a plain syscall of its own.
//
// Handlers find the same addresses and registers in their frames, whether a call was dispatched or patched. So a
// replay need not patch what the recording had patched, and unwinding works. Hence an address in a frame may be that
// of the replaced cmp, and has to go through continuation() before the thread goes on there; rt_sigreturn does that.
#pragma once
#include <stdint.h>
#include <sys/syscall.h>

namespace ana {

struct Trampoline {
  uint8_t code[40];
  uint64_t after;   // the address after the syscall in the program's code
  uint64_t resume;  // where the thread goes on: `after`, or the repeated cmp
  uint64_t plain;   // the syscall of the trampoline
};
static_assert(sizeof(Trampoline) == 64);  // patched_call.S knows the layout

// Calls that need the whole context of the program: those that copy it, and the one that replaces it.
inline bool needs_context(long number) {
  switch (number) {
    case SYS_clone: case SYS_clone3: case SYS_fork: case SYS_vfork: case SYS_rt_sigreturn: return true;
  }
  return false;
}

// Code has been mapped at [begin, end) with this protection, from a file.
void patch_text(uint64_t begin, uint64_t end, int protection);
// Something has been unmapped.
void forget_text(uint64_t begin, uint64_t end);
// Where a thread goes on that is to go on at `pc`.
uint64_t continuation(uint64_t pc);

}  // namespace ana
