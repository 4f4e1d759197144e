// Where the fuzzers put what is to be read: in memory, if there is such a place.
#pragma once
#include <stdlib.h>

#include <string>

#include "trace_builder.h"

namespace ana {

inline ScratchDirectory& scratch() {
  static ScratchDirectory& directory = *[] {
    ::setenv("TMPDIR", "/dev/shm", 0);
    static ScratchDirectory made;
    return &made;
  }();
  return directory;
}

inline std::string text_of(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace ana
