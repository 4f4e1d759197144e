// The registers of x86-64 as gdb wants them: a description in XML, and their bytes in the same order.
#pragma once
#include <string>
#include <vector>

#include "debug/tracee.h"

namespace ana::debug {

std::string target_description();
// All registers, one after the other, as bytes. `vector_state` is the processor's XSAVE area.
std::string register_bytes(const Registers& registers, const std::vector<char>& vector_state);
// Where register `n` of the description begins in these bytes, and how many it has; 0: there is no such one.
size_t register_place(size_t n, size_t& bytes);

}  // namespace ana::debug
