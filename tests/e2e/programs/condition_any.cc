// condition_variable and condition_variable_any: wait, wait_for, wait_until, notify_one, notify_all_at_thread_exit.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "support.h"

using namespace std::chrono_literals;

std::mutex lock;
std::shared_mutex shared_lock;
std::condition_variable changed;
std::condition_variable_any any_changed;
int level, finished;
long timeouts;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(400); i < n; i++) {
    if ((i + index) % 2 == 0) {
      std::unique_lock guard(lock);
      level += index + 1;
      if (i & 2)
        changed.notify_one();
      else
        changed.notify_all();
    } else {
      std::unique_lock guard(lock);
      int before = level;
      bool met = i & 2
                     ? changed.wait_for(guard, 50us, [&] { return level != before; })
                     : changed.wait_until(guard, std::chrono::system_clock::now() + 50us) == std::cv_status::no_timeout;
      timeouts += !met;
      hash = mix(hash, static_cast<uint64_t>(level - before) * 2 + met);
    }
    std::shared_lock guard(shared_lock);
    any_changed.notify_one();
    hash = mix(hash, any_changed.wait_for(guard, 20us) == std::cv_status::timeout);
  }
  std::unique_lock guard(lock);
  finished++;
  std::notify_all_at_thread_exit(changed, std::move(guard));
  return hash;
}

static void* wait_for_all(void*) {
  std::unique_lock guard(lock);
  changed.wait(guard, [] { return finished == threads; });
  return nullptr;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  pthread_t waiter;
  pthread_create(&waiter, nullptr, wait_for_all, nullptr);
  run_threads(body);
  pthread_join(waiter, nullptr);
  std::printf("level %d, %ld time-outs\n", level, timeouts);
  print_results();
}
