// anaphora doctor --syscalls: what the runtime does about each system call, as the runtime itself says it.
#pragma once

namespace ana {

// Returns the exit status of the tool.
int report_syscalls(bool json);

}  // namespace ana
