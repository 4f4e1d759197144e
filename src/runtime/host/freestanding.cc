#include "runtime/host/freestanding.h"

#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/serial.h"

namespace {

constexpr size_t kShort = 128;  // the string instruction takes longer to begin

template <class T>
void copy_word(char* to, const char* from, size_t at) {
  struct [[gnu::packed, gnu::may_alias]] Word { T value; };
  *reinterpret_cast<Word*>(to + at) = *reinterpret_cast<const Word*>(from + at);
}

void copy_string(void* to, const void* from, size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

// The last word overlaps the one before it.
void copy_short(char* to, const char* from, size_t size) {
  if (size >= 8) {
    for (size_t at = 0; at + 8 < size; at += 8) copy_word<uint64_t>(to, from, at);
    copy_word<uint64_t>(to, from, size - 8);
  } else if (size >= 4) {
    copy_word<uint32_t>(to, from, 0);
    copy_word<uint32_t>(to, from, size - 4);
  } else {
    for (size_t at = 0; at < size; ++at) copy_word<char>(to, from, at);
  }
}

}  // namespace

extern "C" {

void* memcpy(void* to, const void* from, size_t size) {
  if (size < kShort) copy_short(static_cast<char*>(to), static_cast<const char*>(from), size);
  else copy_string(to, from, size);
  return to;
}

void* memset(void* to, int byte, size_t size) {
  void* result = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
  return result;
}

void* memmove(void* to, const void* from, size_t size) {
  auto* t = static_cast<char*>(to);
  auto* f = static_cast<const char*>(from);
  if (t <= f || t >= f + size) {
    copy_string(to, from, size);
    return to;
  }
  while (size--) t[size] = f[size];
  return to;
}

int memcmp(const void* a, const void* b, size_t size) {
  auto* x = static_cast<const unsigned char*>(a);
  auto* y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < size; ++i)
    if (x[i] != y[i]) return x[i] - y[i];
  return 0;
}
}

namespace ana {

size_t length(const char* text) {
  size_t n = 0;
  while (text[n]) ++n;
  return n;
}

bool equal(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

bool starts_with(const char* text, const char* prefix) {
  while (*prefix)
    if (*text++ != *prefix++) return false;
  return true;
}

void copy_text(char* to, const char* from, size_t size) {
  size_t n = 0;
  for (; n + 1 < size && from[n]; ++n) to[n] = from[n];
  to[n] = 0;
}

// A thread with a real-time priority does not let others run by yielding, but by sleeping.
bool SpinLock::back_off(int& tries) {
  constexpr int kPauses = 200, kYields = 5000;
  if (serial()) {
    serial_yield(self());
    return true;
  }
  pause();
  if (++tries % kPauses) return false;
  if (tries <= kPauses * kYields) {
    raw(SYS_sched_yield);
  } else {
    tries = kPauses * kYields;
    timespec moment{0, 20'000};
    raw(SYS_nanosleep, &moment, nullptr);
  }
  return true;
}

uint32_t hash_bytes(const void* data, size_t size) {
  auto* p = static_cast<const unsigned char*>(data);
  uint64_t hash = size * 0x9e3779b97f4a7c15ull;
  for (; size >= 8; size -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    hash ^= hash >> 32;
  }
  for (; size; --size, ++p) hash = (hash ^ *p) * 0x100000001b3ull;
  return static_cast<uint32_t>(hash ^ (hash >> 29));
}

}  // namespace ana
