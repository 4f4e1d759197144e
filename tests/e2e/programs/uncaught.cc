// An exception that nobody catches, in the first thread to reach a racing limit: std::terminate, SIGABRT.
#include <stdexcept>
#include <string>

#include "support.h"

volatile int load_level;

static void step(int index, int i) {
  load_level = load_level + 1;
  if (load_level > 8000) throw std::overflow_error("thread " + std::to_string(index) + " at step " + std::to_string(i));
}

static uint64_t body(int index) {
  for (int i = 0; i < 1000000; i++) {
    try {
      step(index, i);
    } catch (const std::invalid_argument&) {
      return 1;
    }
    yield_every(i, 128);
  }
  return 0;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
}
