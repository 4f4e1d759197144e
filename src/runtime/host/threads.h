// Threads of the program: which slot each has, how they begin and end.
//
// A slot is free when its last thread has left the kernel and nobody can ask for it any more (joined or detached). The
// choice is made in record and logged; in replay the creator waits until the slot is free.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// The first thread: slot 0.
void threads_init();

int thread_prepare();
void thread_start();
// Replay: the thread that ended the program because it was the last to leave waits until the others have left.
void thread_leaving();
void thread_joined(uint32_t slot);
void thread_detached(uint32_t slot);
// Replay: the thread that the calling one was about to create when the recording ended does not come to be.
void thread_abandon(Slot& slot);
int thread_find(uint64_t pthread);

// Forks. In the child, and where a replay becomes one: no other thread is there, and this one is called `tid`.
void threads_forked(Slot& slot, uint32_t tid);
// Replay of a child: the calling thread was left behind by the fork. It goes without a trace in the program's memory.
[[noreturn]] void thread_vanish(Slot& slot);
// No other thread is there, not even in the kernel.
bool thread_is_alone(const Slot& slot);
uint32_t threads_alive();

// clone(2) and clone3(2) as the program called them: `registers` are its registers, in greg_t order.
long thread_clone(long number, const long* arguments, const uint64_t* registers);

// exit(2) of one thread, and exit_group(2).
[[noreturn]] void thread_exit(long status);
[[noreturn]] void program_exit(long status);

// Replay: every thread is parked; end as the recorded program did.
[[noreturn]] void end_as_recorded();

// Makes self() answer in the calling thread.
void thread_identify(Slot& slot);
// The calling thread's signal stack, gs base and system call dispatch.
void thread_arm(Slot& slot);
// The last of these alone.
void thread_dispatch();

}  // namespace ana
