// Starvation: a lock that prefers readers; as long as their visits overlap, the writer never gets in.
//
// Exit status 1 if the writer gives up. The fix: let waiting writers keep new readers out.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

std::mutex gate;
int readers;
std::atomic<bool> written, gave_up;

void enter() {
  std::lock_guard guard(gate);
  readers++;
}
void leave() {
  std::lock_guard guard(gate);
  readers--;
}

bool try_write() {
  std::lock_guard guard(gate);
  if (readers > 0) return false;
  written = true;
  return true;
}

void reader() {
  for (int i = 0; i < 2000 && !written && !gave_up; i++) {
    enter();
    for (volatile int work = 0; work < 600;) work = work + 1;
    leave();
    for (volatile int work = 0; work < 30;) work = work + 1;
  }
}

int main() {
  std::vector<std::thread> visitors;
  for (int i = 0; i < 2; i++) visitors.emplace_back(reader);
  for (int attempt = 0; attempt < 60 && !written; attempt++) {
    if (try_write()) break;
    for (volatile int work = 0; work < 500;) work = work + 1;
  }
  gave_up = !written;
  for (auto& thread : visitors) thread.join();
  std::printf(written ? "written\n" : "the writer gave up\n");
  return written ? 0 : 1;
}
