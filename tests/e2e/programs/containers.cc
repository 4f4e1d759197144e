// map, unordered_map, deque, list, set and priority_queue under one lock, filled in the order of the schedule.
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>

#include "support.h"

std::mutex lock;
std::map<std::string, int> by_name;
std::unordered_map<int, std::string> by_number;
std::deque<int> recent;
std::list<int> order;
std::set<uint64_t> seen;
std::priority_queue<int> urgent;

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = static_cast<uint32_t>(index) + 9;
  for (int i = 0, n = share_of(3000); i < n; i++) {
    uint32_t r = next_random(&random);
    std::lock_guard guard(lock);
    std::string name = "key " + std::to_string(r % 300);
    by_name[name] += index + 1;
    by_number[static_cast<int>(r % 200)] += name[name.size() - 1];
    recent.push_back(static_cast<int>(r % 1000));
    if (recent.size() > 40) recent.pop_front();
    order.push_front(index);
    if (order.size() > 200) order.pop_back();
    seen.insert(hash % 1000);
    urgent.push(static_cast<int>(r % 5000));
    if (urgent.size() > 100) urgent.pop();
    hash = mix(hash, static_cast<uint64_t>(by_name[name] + recent.front() + urgent.top()) + seen.size());
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  uint64_t hash = 0;
  for (auto& [name, value] : by_name) hash = mix(hash, name.size() + static_cast<uint64_t>(value));
  for (auto& [number, name] : by_number) hash = mix(hash, static_cast<uint64_t>(number) + name.size());
  for (int value : order) hash = mix(hash, static_cast<uint64_t>(value));
  std::printf("contents %016" PRIx64 ", %zu seen\n", hash, seen.size());
  print_results();
}
