// std::thread with mutex, recursive_mutex, timed_mutex, recursive_timed_mutex, unique_lock, scoped_lock, try_lock.
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "support.h"

using namespace std::chrono_literals;

std::mutex plain, other;
std::recursive_mutex recursive;
std::timed_mutex timed;
std::recursive_timed_mutex recursive_timed;
uint64_t chain, second_chain;

static int descend(int depth) {
  std::lock_guard guard(recursive);
  chain = mix(chain, static_cast<uint64_t>(depth));
  return depth == 0 ? 0 : 1 + descend(depth - 1);
}

static void work(int index, uint64_t& result) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    {
      std::scoped_lock both(i & 1 ? plain : other, i & 1 ? other : plain);
      second_chain = mix(second_chain, static_cast<uint64_t>(index));
    }
    std::unique_lock attempt(plain, std::try_to_lock);
    hash = mix(hash, attempt.owns_lock());
    if (attempt) attempt.unlock();
    if (timed.try_lock_for(20us)) {
      hash = mix(hash, second_chain);
      timed.unlock();
    }
    if (recursive_timed.try_lock_until(std::chrono::steady_clock::now() + 20us)) {
      hash = mix(hash, recursive_timed.try_lock());
      recursive_timed.unlock();
      recursive_timed.unlock();
    }
    if (i % 8 == 0) hash = mix(hash, static_cast<uint64_t>(descend(5)) + chain);
    if (i % 32 == 0) std::this_thread::yield();
  }
  result = hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++) pool.emplace_back(work, i, std::ref(results[i]));
  for (auto& thread : pool) thread.join();
  std::printf("%016" PRIx64 " %016" PRIx64 "\n", chain, second_chain);
  print_results();
}
