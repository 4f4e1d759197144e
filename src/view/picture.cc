#include "view/picture.h"

namespace ana::view {

const char* name_of(Kind kind) {
  constexpr const char* kNames[kKinds] = {"access after another thread's", "operation after another thread's",
                                          "another thread came after", "system call", "input", "thread", "signal",
                                          "message received", "answer of MPI", "end of the recording"};
  return kNames[static_cast<uint32_t>(kind)];
}

}  // namespace ana::view
