// Names of what values belong to: system calls and the runtime's own operations (stream_format.h).
#pragma once
#include <stdint.h>

#include <string>

namespace ana {

// "read", or "system call 9999".
std::string syscall_name(uint64_t number);
// Whether the header that defines the numbers of system calls has this one.
bool is_syscall(uint64_t number);
// Of a value's op.
std::string op_name(uint32_t op);

}  // namespace ana
