// Sets of characters and strings that are read line by line, each only while it is held.
#pragma once
#include "runtime/interpose/libc_access.h"

namespace ana {

struct CharacterSet {
  bool has[256] = {};

  explicit CharacterSet(const char* s) {
    size_t n = access::length(s);
    for (size_t done = 0; done < n;) {
      size_t part = kLineBytes - (reinterpret_cast<uint64_t>(s) + done) % kLineBytes;
      if (part > n - done) part = n - done;
      access::read(s + done, part);
      for (size_t i = 0; i < part; ++i) has[static_cast<unsigned char>(s[done + i])] = true;
      done += part;
    }
    has[0] = false;
  }
};

// The first character from `s` that is in the set or is not, as `wanted` says, or the end of the string.
inline char* skip(char* s, const CharacterSet& set, bool wanted) {
  for (;;) {
    size_t part = kLineBytes - reinterpret_cast<uint64_t>(s) % kLineBytes;
    access::read(s, part);
    for (char* end = s + part; s != end; ++s) {
      if (!*s || set.has[static_cast<unsigned char>(*s)] == wanted) return s;
    }
  }
}

}  // namespace ana
