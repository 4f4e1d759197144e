// What to do about a system call that is refused.
#pragma once
#include <stdint.h>

namespace ana {

const char* syscall_hint(uint64_t number);

}  // namespace ana
