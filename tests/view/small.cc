// What the page is tested with: threads that race for a counter and meet at a lock, and read a file.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

static pthread_barrier_t all_here;
static volatile long raced_counter;
static std::mutex lock;
static long guarded;

static void race_for_it() {
  pthread_barrier_wait(&all_here);  // so that none is through before another begins
  for (int i = 0; i < 4000; i++) raced_counter = raced_counter + 1;
}

static void meet_at_lock() {
  for (int i = 0; i < 40; i++) {
    std::lock_guard<std::mutex> held(lock);
    guarded++;
  }
}

int main() {
  pthread_barrier_init(&all_here, nullptr, 3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([] {
      race_for_it();
      meet_at_lock();
      char text[32];
      int file = open("/proc/sys/kernel/ostype", O_RDONLY);
      if (file < 0 || read(file, text, sizeof text) <= 0) perror("ostype");
      close(file);
    });
  }
  for (std::thread& thread : threads) thread.join();
  printf("%d guarded\n", static_cast<int>(guarded));
}
