// counting_semaphore, binary_semaphore, stop callbacks, timed acquisition.
#include <chrono>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "support.h"

static std::counting_semaphore<8> places(2);
static std::binary_semaphore turn(1);
static std::stop_source stopping;
static int inside, most;

static uint64_t body(int index) {
  uint64_t hash = 0;
  int called = 0;
  std::stop_callback callback(stopping.get_token(), [&] { called++; });
  for (int i = 0, n = share_of(300); i < n && !stopping.stop_requested(); i++) {
    places.acquire();
    inside++;  // races, two at a time
    if (inside > most) most = inside;
    hash = mix(hash, static_cast<uint64_t>(inside));
    inside--;
    places.release();
    if (turn.try_acquire_for(std::chrono::microseconds(20))) {
      hash = mix(hash, static_cast<uint64_t>(most));
      turn.release();
    }
    if (index == 0 && i == n - n / 8) stopping.request_stop();
    hash = mix(hash, places.try_acquire() ? (places.release(), 1u) : 0u);
    yield_every(i, 20);
  }
  return mix(hash, static_cast<uint64_t>(called));
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%d %d\n", most, stopping.stop_requested());
}
