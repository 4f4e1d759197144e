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

// Places in Thread::clocks. The kernel's clocks have theirs by number, dynamic ones share one.
constexpr int kTimeClock = kClocks - 1, kDayClock = kClocks - 2, kOtherClock = kClocks - 3;
constexpr int64_t kNanoseconds = 1'000'000'000, kMicroseconds = 1'000'000;

int place_of(clockid_t clock) { return clock >= 0 && clock < kOtherClock ? clock : kOtherClock; }

// The value, in units of whatever clock it is, recorded or replayed: how far it is from the last one.
int64_t pass(Thread* t, int clock, int64_t value) {
  int64_t& last = t->clocks[clock];
  if (recording()) {
    put_outcome(t, ana::zigzag(value - last));
  } else {
    value = last + ana::unzigzag(take_outcome(t));
  }
  return last = value;
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
  if (t != nullptr) now = static_cast<time_t>(pass(t, kTimeClock, now));
  if (result != nullptr) *result = now;
  return now;
}

int gettimeofday(timeval* result, void* zone) noexcept {
  static auto real = next(&gettimeofday, "gettimeofday");
  Thread* t = from_program(__builtin_return_address(0));
  int status = real(result, zone);
  if (t == nullptr || status != 0) return status;
  int64_t value = pass(t, kDayClock, result->tv_sec * kMicroseconds + result->tv_usec);
  result->tv_sec = static_cast<time_t>(value / kMicroseconds);
  result->tv_usec = static_cast<suseconds_t>(value % kMicroseconds);
  return 0;
}

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  static auto real = next(&clock_gettime, "clock_gettime");
  Thread* t = from_program(__builtin_return_address(0));
  int status = real(clock, result);
  if (t == nullptr || status != 0) return status;
  int64_t value = pass(t, place_of(clock), result->tv_sec * kNanoseconds + result->tv_nsec);
  result->tv_sec = static_cast<time_t>(value / kNanoseconds);
  result->tv_nsec = static_cast<long>(value % kNanoseconds);
  return 0;
}

}  // extern "C"
