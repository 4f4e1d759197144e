// exception_ptr between threads, nested exceptions, rethrowing, function try blocks, exceptions in destructors' frames.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.h"

static std::mutex lock;
static std::vector<std::exception_ptr> kept;
static int racing;

struct Guard {
  int& count;
  ~Guard() { count += std::uncaught_exceptions() + 1; }
};

static uint64_t depth(const std::exception& error, uint64_t hash) {
  for (const char* at = error.what(); *at; at++) hash = mix(hash, static_cast<uint64_t>(*at));
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& inner) {
    return depth(inner, hash);
  }
  return hash;
}

static void fail(int level, int& count) try {
  Guard guard{count};
  racing += level;
  if (level == 0) throw std::out_of_range("bottom " + std::to_string(racing % 100));
  fail(level - 1, count);
} catch (...) {
  if (level % 2) std::throw_with_nested(std::runtime_error("level " + std::to_string(level)));
  throw;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  int count = 0;
  for (int i = 0, n = share_of(120); i < n; i++) {
    try {
      fail((index + i) % 6, count);
    } catch (const std::exception& error) {
      hash = depth(error, hash);
      std::lock_guard guard(lock);
      kept.push_back(std::current_exception());
    }
    std::exception_ptr other;
    {
      std::lock_guard guard(lock);
      other = kept[static_cast<size_t>(racing) % kept.size()];
    }
    try {
      std::rethrow_exception(other);
    } catch (const std::exception& error) {
      hash = depth(error, hash);
    }
    yield_every(i, 10);
  }
  return mix(hash, static_cast<uint64_t>(count));
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%zu kept\n", kept.size());
}
