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
volatile bool done;

size_t serve(Session* session) {
  session->requests++;
  hiccup(20000);
  return std::strlen(session->user);
}

void worker() {
  size_t served = 0;
  while (!done) {
    Session* session = current;
    if (session != nullptr) served += serve(session);
  }
  std::printf("served %d\n", served > 0);
}

void log_out() {
  Session* ended = current;
  current = nullptr;
  std::free(ended);
  void* reused = std::malloc(sizeof(Session));  // the allocator hands the same memory out again
  std::memset(reused, 0, sizeof(Session));
  std::free(reused);
}

int main() {
  std::thread thread(worker);
  for (int i = 0; i < 60; i++) {
    auto* session = static_cast<Session*>(std::malloc(sizeof(Session)));
    session->user = "somebody";
    session->requests = 0;
    current = session;
    for (volatile int work = 0; work < 3000;) work = work + 1;
    log_out();
  }
  done = true;
  thread.join();
}
