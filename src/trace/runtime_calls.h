// Where code calls functions of the runtime: in a program the functions themselves, in a library, which has none of them, what
// the linker has put there for each, which jumps to the address that the dynamic loader has found (a procedure linkage table).
#pragma once
#include <stdint.h>

#include <initializer_list>
#include <string_view>
#include <unordered_set>

#include "trace/elf_file.h"

namespace ana {

// `base` is what the addresses of the file are off by.
std::unordered_set<uint64_t> runtime_calls(const ElfFile& file, uint64_t base, std::initializer_list<std::string_view> names);

}  // namespace ana
