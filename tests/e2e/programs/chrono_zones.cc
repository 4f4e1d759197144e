// Clocks of chrono, calendars, sleeping until a time, durations that depend on how long others took.
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "support.h"

using namespace std::chrono;
static std::mutex lock;
static std::condition_variable changed;
static long turns;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(24); i < n; i++) {
    auto start = steady_clock::now();
    std::this_thread::sleep_until(start + microseconds(50 * (index % 4)));
    std::unique_lock guard(lock);
    bool in_time = changed.wait_until(guard, system_clock::now() + microseconds(300), [&] { return turns % threads == index; });
    turns++;
    changed.notify_all();
    guard.unlock();
    auto took = steady_clock::now() - start;
    hash = mix(hash, static_cast<uint64_t>(duration_cast<nanoseconds>(took).count()) + in_time);
    year_month_day today{floor<days>(system_clock::now())};
    hash = mix(hash, static_cast<uint64_t>(static_cast<unsigned>(today.day())) + (today.month() == November));
    hash = mix(hash, static_cast<uint64_t>(high_resolution_clock::now().time_since_epoch().count()));
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%ld turns, %ld\n", turns, static_cast<long>(system_clock::to_time_t(system_clock::now())));
}
