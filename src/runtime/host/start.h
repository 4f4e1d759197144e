// From the host's first instruction to the program's: userland exec at fixed addresses.
//
// The host maps the program, its dynamic loader and the main stack itself, builds the initial stack (record) or takes it
// from the log (replay), arms the dispatch and jumps. Every system call of the program, the loader's first included, is
// therefore seen; nothing depends on address space randomisation, personality or ptrace.
#pragma once
#include <stdint.h>

namespace ana {

// Absolute path of the program.
const char* program_path();

// The path of an open file, as the kernel knows it; empty if it has none.
void path_of(long fd, char* path, uint64_t size);

// The code at `pc` belongs to libc or the dynamic loader: its waits and wakes are its own business.
bool is_system_code(uint64_t pc);
bool is_loader_code(uint64_t pc);
// Called when a mapping of an ELF file is made.
void note_elf_mapping(const char* path, uint64_t at, uint64_t bytes);

}  // namespace ana
