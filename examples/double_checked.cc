// Broken double-checked locking: the pointer is set before what it points to is complete.
//
// Exit status 1 if somebody saw the half-made object. The fix: complete it first, then publish with a release store.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "hiccup.h"

struct Settings {
  int port;
  int users;
};

std::mutex lock;
Settings* volatile settings;
Settings storage;
volatile int incomplete;

void read_file(Settings* into) {
  hiccup(6);
  into->port = 8080;
  into->users = 12;
}

const Settings& get() {
  if (settings == nullptr) {
    std::lock_guard guard(lock);
    if (settings == nullptr) {
      settings = &storage;
      read_file(settings);
    }
  }
  return *settings;
}

void worker() {
  for (volatile int i = 0; i < 8000;) i = i + 1;
  if (get().users != 12) incomplete = incomplete + 1;
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 6; i++) workers.emplace_back(worker);
  for (auto& thread : workers) thread.join();
  std::printf("%d threads saw it half made\n", incomplete);
  return incomplete > 0 ? 1 : 0;
}
