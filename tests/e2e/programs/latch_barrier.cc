// std::latch, std::barrier with a completion function, counting_semaphore and binary_semaphore.
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

#include "support.h"

std::counting_semaphore<8> permits(3);
std::binary_semaphore single(1);
uint64_t chain, phases;

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::latch ready(threads), done(threads);
  auto on_phase = []() noexcept { phases = mix(phases, chain); };
  std::barrier phase(threads, on_phase);
  std::vector<std::thread> pool;
  for (int index = 0; index < threads; index++) {
    pool.emplace_back([&, index] {
      uint64_t hash = 0;
      ready.arrive_and_wait();
      for (int i = 0, n = 20 + 400 / threads; i < n; i++) {
        permits.acquire();
        hash = mix(hash, chain);
        single.acquire();
        chain = mix(chain, static_cast<uint64_t>(index));
        single.release();
        permits.release();
        hash = mix(hash, permits.try_acquire_for(std::chrono::microseconds(5)) ? (permits.release(), 1) : 0);
        if (i % 10 == 0) phase.arrive_and_wait();
      }
      if (index == 0) phase.arrive_and_drop(); else (void)phase.arrive();
      results[index] = hash;
      done.count_down();
    });
  }
  done.wait();
  std::printf("chain %016" PRIx64 " phases %016" PRIx64 "\n", chain, phases);
  for (auto& thread : pool) thread.join();
  print_results();
}
