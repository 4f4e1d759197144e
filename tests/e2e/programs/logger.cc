// A logging thread fed by all the others through a queue that is swapped; it writes with write(2).
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support.h"

std::mutex lock;
std::condition_variable changed;
std::vector<std::string> waiting;
bool finished;
int batches;

static void write_all(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t done = write(1, text.data() + at, text.size() - at);
    if (done <= 0) _exit(2);
    at += static_cast<size_t>(done);
  }
}

static void log_lines() {
  std::vector<std::string> batch;
  for (bool last = false; !last;) {
    {
      std::unique_lock guard(lock);
      changed.wait(guard, [] { return finished || !waiting.empty(); });
      batch.swap(waiting);
      last = finished;
    }
    batches++;
    std::string text = "batch of " + std::to_string(batch.size()) + "\n";
    for (auto& line : batch) text += line + "\n";
    write_all(text);
    batch.clear();
  }
}

static uint64_t body(int index) {
  for (int i = 0, n = share_of(600); i < n; i++) {
    {
      std::lock_guard guard(lock);
      waiting.push_back("thread " + std::to_string(index) + " line " + std::to_string(i));
    }
    changed.notify_one();
    yield_every(i, 16);
  }
  return 0;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::thread logger(log_lines);
  run_threads(body);
  {
    std::lock_guard guard(lock);
    finished = true;
  }
  changed.notify_one();
  logger.join();
  std::printf("%d batches\n", batches);
}
