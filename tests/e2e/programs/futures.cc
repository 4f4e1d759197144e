// async, promise, packaged_task, shared_future, and exceptions that travel through them.
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.h"

int shared_work;

static uint64_t compute(int index) {
  uint64_t hash = 0;
  for (int i = 0; i < 400; i++) {
    shared_work += index + 1;
    hash = mix(hash, static_cast<uint64_t>(shared_work));
    if (i % 50 == 0) std::this_thread::yield();
  }
  if (hash % 3 == 0) throw std::runtime_error("unlucky " + std::to_string(hash % 1000));
  return hash;
}

template <class Future>
static void report(const char* kind, int index, Future& future) {
  try {
    std::printf("%s %d: %016" PRIx64 "\n", kind, index, future.get());
  } catch (const std::exception& error) {
    std::printf("%s %d: exception %s\n", kind, index, error.what());
  }
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::vector<std::future<uint64_t>> tasks;
  for (int i = 0; i < threads; i++)
    tasks.push_back(std::async(i % 4 == 3 ? std::launch::deferred : std::launch::async, compute, i));
  std::vector<std::thread> pool;
  std::vector<std::future<uint64_t>> packaged;
  std::promise<int> start;
  std::shared_future<int> started = start.get_future().share();
  for (int i = 0; i < threads; i++) {
    std::packaged_task<uint64_t()> task([i, started] { return compute(i + started.get()); });
    packaged.push_back(task.get_future());
    pool.emplace_back(std::move(task));
  }
  start.set_value(shared_work & 15);
  bool ready = packaged.front().wait_for(std::chrono::microseconds(50)) == std::future_status::ready;
  for (int i = 0; i < threads; i++) report("async", i, tasks[static_cast<size_t>(i)]);
  for (int i = 0; i < threads; i++) report("packaged", i, packaged[static_cast<size_t>(i)]);
  for (auto& thread : pool) thread.join();
  std::future<uint64_t> broken;
  {
    std::promise<uint64_t> forgotten;
    broken = forgotten.get_future();
  }
  report("broken", 0, broken);
  std::printf("ready early %d, work %d\n", ready, shared_work);
}
