// A pool with a task queue, tasks that submit tasks, and a clean shutdown.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "support.h"

class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; i++) workers_.emplace_back([this, i] { run(i); });
  }
  ~Pool() {
    {
      std::unique_lock guard(lock_);
      idle_.wait(guard, [this] { return pending_ == 0; });
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  void submit(std::function<void(int)> task) {
    {
      std::lock_guard guard(lock_);
      pending_++;
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void run(int index) {
    for (;;) {
      std::function<void(int)> task;
      {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task(index);
      std::lock_guard guard(lock_);
      if (--pending_ == 0) idle_.notify_all();
    }
  }
  std::mutex lock_;
  std::condition_variable changed_, idle_;
  std::deque<std::function<void(int)>> tasks_;
  std::vector<std::thread> workers_;
  int pending_ = 0;
  bool stop_ = false;
};

int plain_total;

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  {
    Pool pool(threads);
    for (int i = 0; i < 400; i++) {
      pool.submit([&pool, i](int worker) {
        plain_total += i;
        results[worker] = mix(results[worker], static_cast<uint64_t>(i));
        if (i % 4 == 0)
          pool.submit([i](int other) { results[other] = mix(results[other], static_cast<uint64_t>(i + plain_total)); });
      });
    }
  }
  std::printf("total %d\n", plain_total);
  print_results();
}
