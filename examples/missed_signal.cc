// Missed signal: a condition variable is used as if it remembered; whoever waits after the signal waits for ever.
//
// Exit status 1 if the waiter was too late. The fix: a predicate, set under the lock and tested in a loop.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "hiccup.h"

std::mutex lock;
std::condition_variable started;

void server() {
  std::this_thread::sleep_for(std::chrono::microseconds(300));  // starts up
  std::lock_guard guard(lock);
  started.notify_all();
}

int main() {
  std::thread thread(server);
  hiccup(8, 900);  // has something else to do, which may take long
  bool seen;
  {
    std::unique_lock guard(lock);
    seen = started.wait_for(guard, std::chrono::milliseconds(300)) == std::cv_status::no_timeout;
  }
  thread.join();
  std::printf(seen ? "the server is up\n" : "nobody said that the server is up\n");
  return seen ? 0 : 1;
}
