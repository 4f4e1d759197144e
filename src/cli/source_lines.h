// From an address in a program or library to the line of its source, by the symbolizer of LLVM or binutils.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "cli/sites.h"

namespace ana {

// Of an instruction: the function that it is in, and those that it was inlined into, innermost first.
std::vector<SourcePlace> source_frames(const std::string& module, uint64_t offset);
// Of an instruction; what is not known is empty.
SourcePlace source_place(const std::string& module, uint64_t offset);

// Of a call, given the address that it returns to: "app.c:41 (main)"; without debug information "app+0x1234"; empty if
// the module is unknown.
std::string describe_address(const std::string& module, uint64_t return_offset);

}  // namespace ana
