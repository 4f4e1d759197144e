// CRC-32C by the processor's own instruction, which every one of the last fifteen years has (SSE 4.2); it uses general
// registers only.
#pragma once
#include <stdint.h>

#include "runtime/host/freestanding.h"

namespace ana {

inline bool has_crc32c() {
  uint32_t a = 1, b, c = 0, d;
  asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return c >> 20 & 1;
}

// Of whole words; the rest counts as if it were followed by zeros.
inline uint32_t crc32c(uint32_t sum, const void* data, uint64_t bytes) {
  auto* at = static_cast<const char*>(data);
  uint64_t all = sum, word;
  for (; bytes >= 8; at += 8, bytes -= 8) {
    __builtin_memcpy(&word, at, 8);
    asm("crc32q %1, %0" : "+r"(all) : "r"(word));
  }
  if (!bytes) return static_cast<uint32_t>(all);
  word = 0;
  memcpy(&word, at, bytes);
  asm("crc32q %1, %0" : "+r"(all) : "r"(word));
  return static_cast<uint32_t>(all);
}

}  // namespace ana
