// Crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL) that the program does not handle itself. They recur in replay by themselves;
// what is done here is to let the other threads reach the same places first. Then the signal takes its course.
#pragma once

namespace ana {

void crash_init();
// Is this the host's handler (which the program must see as SIG_DFL)?
bool is_crash_handler(const void* handler);
bool is_crash_signal(long signal);
void install_crash_handler(long signal);

}  // namespace ana
