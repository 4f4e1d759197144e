// What the host needs from a C library, and no more: it has none. Its code runs inside the user's process, in signal
// handlers and in the middle of user functions, so it uses general registers only (-mgeneral-regs-only), never
// allocates, never takes a libc lock.
#pragma once
#include <stddef.h>
#include <stdint.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int byte, size_t size);
void* memmove(void* to, const void* from, size_t size);
int memcmp(const void* a, const void* b, size_t size);

// In raw_syscall.S: the only code from which system calls reach the kernel (the rest of the process is dispatched).
long ana_raw_syscall(long number, long a, long b, long c, long d, long e, long f);
long ana_raw_wait(long number, long a, long b, long c, long d, long e, long f);
extern const char ana_raw_begin[], ana_raw_end[];
void ana_sigaction_restorer();
}

namespace ana {

template <class... Args>
inline long raw(long number, Args... args) {
  long a[6] = {(long)(args)...};
  return ana_raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
inline long raw(long number) { return ana_raw_syscall(number, 0, 0, 0, 0, 0, 0); }

// The same, for calls that may wait: a signal that the program handles interrupts them, also one that came just before.
template <class... Args>
inline long raw_wait(long number, Args... args) {
  long a[6] = {(long)(args)...};
  return ana_raw_wait(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

inline bool is_error(long result) { return result < 0 && result > -4096; }

size_t length(const char* text);
bool equal(const char* a, const char* b);
bool starts_with(const char* text, const char* prefix);
// Copies at most size-1 characters and a NUL.
void copy_text(char* to, const char* from, size_t size);

inline void pause() { __builtin_ia32_pause(); }
inline uint64_t timestamp() { return __builtin_ia32_rdtsc(); }
inline uint64_t align_up(uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); }
inline uint64_t align_down(uint64_t value, uint64_t to) { return value & ~(to - 1); }

// A lock for a few instructions' work. Nobody waits for anything else while holding one.
class SpinLock {
 public:
  void lock() {
    for (int n = 0; __atomic_exchange_n(&word_, 1, __ATOMIC_ACQUIRE);) {  // pairs with unlock()
      while (__atomic_load_n(&word_, __ATOMIC_RELAXED)) back_off(n);
    }
  }
  bool try_lock() { return !__atomic_exchange_n(&word_, 1, __ATOMIC_ACQUIRE); }
  void unlock() { __atomic_store_n(&word_, 0, __ATOMIC_RELEASE); }
  // And what the thread reads afterwards is read after what it wrote before.
  void unlock_ordered() { __atomic_exchange_n(&word_, 0, __ATOMIC_SEQ_CST); }

  // True if others could run meanwhile.
  static bool back_off(int& tries);

 private:
  uint32_t word_ = 0;
};

// The 32 low bits of an xxhash-like mix; for divergence checks, not for tables.
uint32_t hash_bytes(const void* data, size_t size);

}  // namespace ana
