// Other processes. They are not recorded: what they do reaches the program by system calls (pipes, files, wait), which
// are inputs like all others, and a replay starts none.
//
// posix_spawn and system are library calls for this purpose (interpose/processes.cc), made without the dispatch. fork
// makes a child that goes on with the program's code: it becomes an ordinary process, whose linked part is passive, and
// leaves the session to its parent. vfork is fork.
#pragma once
#include <stdint.h>

#include "runtime/host/slot.h"

namespace ana {

// clone(2) and clone3(2) without CLONE_THREAD, dispatched.
long process_clone(long number, uint64_t flags, uint64_t parent_tid, uint64_t child_tid, uint64_t tls);

// Between begin and end the calling thread's system calls go to the kernel: it starts another process.
void outside_begin();
void outside_end();

}  // namespace ana
