// Crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL) that the program does not handle itself. They recur in replay by themselves;
// what is done here is to let the other threads reach the same places first. Then the signal takes its course.
#pragma once
#include <signal.h>

namespace ana {

void crash_init();
bool is_crash_signal(long signal);
void install_crash_handler(long signal);
void on_crash(int signal, siginfo_t* info, void* context);

}  // namespace ana
