// What system(3) does, with the actions that a new process needs: the C library's own takes none.
#pragma once
#include "runtime/interpose/spawn_actions.h"

namespace ana {

// Record, outside of the recording. -1 and errno, or the status of the shell.
int run_command(const char* command, const SpawnActions& actions);

}  // namespace ana
