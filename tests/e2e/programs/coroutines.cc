// C++20 coroutines that are resumed by whichever thread takes them from a queue: generators and tasks.
#include <coroutine>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "support.h"

struct Task {
  struct promise_type {
    uint64_t seen = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(uint64_t value) noexcept {
      seen = mix(seen, value);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

static std::mutex lock;
static std::deque<Task> ready;
static int shared;

static Task work(int number) {
  for (int i = 0; i < 30; i++) {
    shared += number;
    co_yield static_cast<uint64_t>(shared);
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (;;) {
    Task task;
    {
      std::lock_guard guard(lock);
      if (ready.empty()) return hash;
      task = ready.front();
      ready.pop_front();
    }
    task.handle.resume();
    hash = mix(hash, task.handle.promise().seen + static_cast<uint64_t>(index));
    if (task.handle.done()) {
      task.handle.destroy();
      continue;
    }
    std::lock_guard guard(lock);
    ready.push_back(task);
  }
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < 12; i++) ready.push_back(work(i + 1));
  run_threads(body);
  print_results();
  std::printf("shared %d\n", shared);
}
