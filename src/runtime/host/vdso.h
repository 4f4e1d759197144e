// The kernel's clocks without a system call. The program has no vDSO, since what it read there would be an input that
// nobody sees; while recording, the host keeps it for itself.
#pragma once
#include <stdint.h>
#include <sys/syscall.h>

namespace ana {

// The vDSO of this process (AT_SYSINFO_EHDR), or 0.
void vdso_init(uint64_t image);

inline bool is_clock(long number) {
  return number == SYS_clock_gettime || number == SYS_gettimeofday || number == SYS_time;
}
// Like ana_raw_syscall, for these.
long read_clock(long number, long a, long b, long c, long d, long e, long f);

// The vDSO makes system calls of its own if it cannot read a clock, and they are dispatched.
bool is_vdso(uint64_t pc);

}  // namespace ana
