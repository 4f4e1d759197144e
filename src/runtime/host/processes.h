// Other processes. What they do reaches the program by system calls (pipes, files, wait), which are inputs like all others,
// and a replay starts none. What they print is in no system call of the program's, and is saved by the relay (relay.h).
//
// posix_spawn and system are library calls for this purpose (interpose/processes.cc), made without the dispatch. fork
// makes a child that goes on with the program's code. Without --children it becomes an ordinary process, whose linked part
// is passive, and leaves the session to its parent. vfork is fork.
//
// With --children it is recorded: it gets a session of its own, made before the fork while all other threads stand still
// (freeze_others()), in which each slot goes on where it was, count and stream included. So the child's streams continue
// those of its parent; ForkPoint says from where. A replay of the child is one of the parent up to that point: the other
// threads vanish where they stood, and then the one that forked finds that it is the child.
#pragma once
#include <stdint.h>

#include "runtime/host/slot.h"

namespace ana {

// clone(2), clone3(2), fork(2) and vfork(2), as CLONE_* flags without CLONE_THREAD, dispatched.
long process_clone(long number, uint64_t flags, uint64_t parent_tid, uint64_t child_tid, uint64_t tls);

// The program was told how a child has ended.
void note_reaped(long process, uint32_t status);

// Between begin and end the calling thread's system calls go to the kernel: it starts another process.
void outside_begin(bool starts_process);
void outside_end();

}  // namespace ana
