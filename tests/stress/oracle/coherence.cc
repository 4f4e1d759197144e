// Values alone. For each location the writes are nodes; whenever a thread meets one write and later another, the first
// must come before the second. If these demands form a circle, no order of the writes explains the values.
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "history.h"

namespace oracle {

namespace {

struct Node {
  std::vector<uint64_t> later;  // values written after this one
  int state = 0;                // 0 unseen, 1 on the path, 2 done
};

class Location {
 public:
  explicit Location(uint32_t number) : number_(number) { nodes_[0]; }

  void add_write(uint64_t value) { nodes_[value]; }

  // The thread that met `before` has now met `now`.
  bool meet(uint64_t before, uint64_t now, std::string& error) {
    if (!nodes_.count(now)) {
      error = "location " + std::to_string(number_) + ": nobody wrote " + std::to_string(now);
      return false;
    }
    if (before != now) nodes_[before].later.push_back(now);
    return true;
  }

  bool add_update(const Access& access, std::string& error) {
    if (updated_.insert(access.read).second) return true;
    error = "location " + std::to_string(number_) + ": two updates read the same value";
    return false;
  }

  bool has_order(std::string& error) {
    for (auto& [value, node] : nodes_) {
      if (node.state == 0 && !visit(value)) {
        error = "location " + std::to_string(number_) + ": no order of its writes explains the values";
        return false;
      }
    }
    return true;
  }

 private:
  bool visit(uint64_t root) {
    std::vector<std::pair<uint64_t, size_t>> path{{root, 0}};
    nodes_[root].state = 1;
    while (!path.empty()) {
      auto& [value, next] = path.back();
      Node& node = nodes_[value];
      if (next == node.later.size()) {
        node.state = 2;
        path.pop_back();
        continue;
      }
      uint64_t target = node.later[next++];
      if (nodes_[target].state == 1) return false;
      if (nodes_[target].state == 2) continue;
      nodes_[target].state = 1;
      path.emplace_back(target, 0);
    }
    return true;
  }

  uint32_t number_;
  std::unordered_map<uint64_t, Node> nodes_;
  std::unordered_set<uint64_t> updated_;
};

}  // namespace

bool values_are_coherent(const History& history, std::string& error) {
  std::map<uint32_t, Location> locations;
  for (const Slot& slot : history.slots)
    for (const Access& access : slot.accesses)
      if (access.writes())
        locations.try_emplace(access.location, access.location).first->second.add_write(access.written);
  for (const Slot& slot : history.slots) {
    std::unordered_map<uint32_t, uint64_t> last;  // what the thread met last, by location
    for (const Access& access : slot.accesses) {
      Location& location = locations.try_emplace(access.location, access.location).first->second;
      uint64_t& met = last[access.location];
      if (access.reads()) {
        if (!location.meet(met, access.read, error)) return false;
        met = access.read;
      }
      if (access.writes()) {
        if (!location.meet(met, access.written, error)) return false;
        met = access.written;
      }
      if (access.kind == Kind::kUpdate && !location.add_update(access, error)) return false;
    }
  }
  for (auto& [number, location] : locations)
    if (!location.has_order(error)) return false;
  return true;
}

}  // namespace oracle
