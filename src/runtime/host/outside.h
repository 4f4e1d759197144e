// The world outside a recorded rank of an MPI job (trace/outside.h): starts it, and takes threads of the program there
// and back. A thread that is outside counts as blocked: others take its lines meanwhile. What MPI reads and writes of
// the program's memory is a ranged access of the thread, before it goes and when it comes back.
#pragma once
#include <elf.h>

#include "runtime/host/elf_image.h"

namespace ana {

// Takes what is meant for the world outside out of the environment, before that becomes the program's.
void outside_hide(char** environment);
// Nothing unless the environment named a program to be run outside. Returns when that is ready. `environment` and `aux`
// are the host's own.
void outside_start(char** environment, const Elf64_auxv_t* aux, const ElfImage& program, const char* path);

// Replay, before the program ends: waits until the other ranks have come to their ends, too. They may need this one.
void outside_before_end();
// The calling thread is one of MPI's.
bool is_outside();
// Replay: threads of the program that were outside when the recording ended.
bool ended_outside();

}  // namespace ana
