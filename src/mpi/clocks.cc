// The clocks of the system, as far as the program itself (not a library) asks for them after MPI_Init: programs seed
// random numbers from them. Only in the thread that started MPI; and where several threads may call MPI, only until
// there is a second one: then clocks are read while waiting for locks, as often as it takes.
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "mpi/library.h"
#include "mpi/threads.h"

using namespace ana::mpi;

namespace {

uintptr_t program_begin = 0, program_bytes = 0;

int find_program(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    program_begin = info->dlpi_addr + segment.p_vaddr;
    program_bytes = segment.p_memsz;
  }
  return 1;  // the program comes first
}

Thread* from_program(const void* caller) {
  if (ana::mpi::g.phase == Phase::kOff || !(ana::mpi::g.threads ? is_alone() : is_first_thread())) return nullptr;
  if (program_bytes == 0) dl_iterate_phdr(find_program, nullptr);
  return reinterpret_cast<uintptr_t>(caller) - program_begin < program_bytes ? this_thread() : nullptr;
}

// The value, in units of whatever clock it is, recorded or replayed.
int64_t pass(Thread* t, int64_t value) {
  if (recording()) {
    put_outcome(t, ana::zigzag(value));
    return value;
  }
  return ana::unzigzag(take_outcome(t));
}

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

time_t time(time_t* result) noexcept {
  static auto real = next(&time, "time");
  Thread* t = from_program(__builtin_return_address(0));
  time_t now = real(nullptr);
  if (t != nullptr) now = static_cast<time_t>(pass(t, now));
  if (result != nullptr) *result = now;
  return now;
}

int gettimeofday(timeval* result, void* zone) noexcept {
  static auto real = next(&gettimeofday, "gettimeofday");
  Thread* t = from_program(__builtin_return_address(0));
  int status = real(result, zone);
  if (t == nullptr || status != 0) return status;
  result->tv_sec = static_cast<time_t>(pass(t, result->tv_sec));
  result->tv_usec = static_cast<suseconds_t>(pass(t, result->tv_usec));
  return 0;
}

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  static auto real = next(&clock_gettime, "clock_gettime");
  Thread* t = from_program(__builtin_return_address(0));
  int status = real(clock, result);
  if (t == nullptr || status != 0) return status;
  result->tv_sec = static_cast<time_t>(pass(t, result->tv_sec));
  result->tv_nsec = static_cast<long>(pass(t, result->tv_nsec));
  return 0;
}

}  // extern "C"
