// Use after free: the owner ends a session while a worker still holds a plain pointer to it.
//
// Crashes when the memory has been used again. The fix: share the ownership, or take the worker off first.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "hiccup.h"

struct Session {
  const char* user;
  long requests;
};

Session* volatile current;
void* volatile other_use;
volatile bool done;

void wait_a_moment(int steps) {
  for (volatile int i = 0; i < steps;) i = i + 1;
}

size_t serve(Session* session) {
  session->requests++;
  hiccup(1000);
  return std::strlen(session->user);
}

void worker() {
  size_t served = 0;
  while (!done) {
    Session* session = current;
    if (session != nullptr) served += serve(session);
    wait_a_moment(400);
  }
  std::printf("served %d\n", served > 0);
}

void log_out() {
  Session* ended = current;
  current = nullptr;
  std::free(ended);
  other_use = std::malloc(sizeof(Session));  // the allocator hands the same memory out again
  std::memset(other_use, 0, sizeof(Session));
  std::free(other_use);
}

int main() {
  std::thread thread(worker);
  for (int i = 0; i < 60; i++) {
    auto* session = static_cast<Session*>(std::malloc(sizeof(Session)));
    session->user = "somebody";
    session->requests = 0;
    current = session;
    wait_a_moment(3000);
    log_out();
    wait_a_moment(3000);
  }
  done = true;
  thread.join();
}
