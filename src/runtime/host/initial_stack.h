// The stack with which a program starts: arguments, environment, auxiliary vector. Built once, when recording; logged;
// loaded as it was when replaying.
#pragma once
#include <stdint.h>

#include "runtime/host/elf_image.h"

namespace ana {

// Where the parts lie; logged with the image, told to the kernel so that ps and gdb see the program.
struct InitialStack {
  uint64_t pointer;              // rsp at the program's entry
  uint64_t bytes;                // size of the main stack
  uint64_t aux, aux_bytes;
  uint64_t arguments, arguments_end;
  uint64_t environment, environment_end;
};
static_assert(sizeof(InitialStack) == 64);

struct StartArguments {
  uint64_t count;
  char** values;
  char** environment;
};

// Record: builds and logs it. `kernel_aux` is the host's own auxiliary vector.
InitialStack build_stack(const StartArguments& arguments, const Elf64_auxv_t* kernel_aux, const ElfImage& program,
                         uint64_t loader_base, const char* path);
// Replay: maps and fills it from the log.
InitialStack load_stack();

void tell_kernel(const InitialStack& stack, const ElfImage& program, const char* path);

}  // namespace ana
