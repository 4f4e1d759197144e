#include "execution.h"

#include <fmt/format.h>

#include <algorithm>

namespace ana::oracle {

namespace {

const Access* find_access(const Happening& event, uint32_t granule) {
  for (const Access& a : event.accesses) {
    if (a.granule == granule) return &a;
  }
  return nullptr;
}

// before[] in the total order is closed from the front: what comes before an event's predecessors is complete.
void close(Order& before) {
  for (size_t i = 0; i < before.size(); ++i) {
    for (uint64_t direct = before[i]; direct; direct &= direct - 1) before[i] |= before[__builtin_ctzll(direct)];
  }
}

Order program_order(const Execution& execution) {
  Order before(execution.events.size(), 0);
  for (size_t i = 0; i < before.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (execution.events[j].thread == execution.events[i].thread) before[i] |= uint64_t{1} << j;
    }
  }
  return before;
}

}  // namespace

void Execution::add(ThreadIndex thread, std::vector<Access> accesses) {
  uint64_t serial = 1 + std::count_if(events.begin(), events.end(), [&](auto& e) { return e.thread == thread; });
  events.push_back({thread, serial, std::move(accesses)});
}

size_t Execution::find(ThreadIndex thread, uint64_t serial) const {
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].thread == thread && events[i].serial == serial) return i;
  }
  return ~size_t{0};
}

std::string Execution::text() const {
  std::string out;
  for (const Happening& event : events) {
    out += fmt::format("{}:", event.thread);
    for (const Access& a : event.accesses) out += fmt::format("{}{}", "rwu"[static_cast<int>(a.kind)], a.granule);
    out += ' ';
  }
  return out;
}

Execution random_execution(std::mt19937_64& random, const Shape& shape) {
  Execution execution;
  execution.threads = shape.threads;
  execution.granules = shape.granules;
  std::uniform_real_distribution<> share(0, 1);
  auto kind = [&] {
    double s = share(random);
    return s < shape.write ? AccessKind::write : s < shape.write + shape.update ? AccessKind::update : AccessKind::read;
  };
  for (uint32_t i = 0; i < shape.events; ++i) {
    std::vector<Access> accesses = {{static_cast<uint32_t>(random() % shape.granules), kind()}};
    if (share(random) < shape.several) {
      for (uint32_t g = 0; g < shape.granules; ++g) {
        if (g != accesses[0].granule && random() % 2) accesses.push_back({g, kind()});
      }
    }
    execution.add(random() % shape.threads, std::move(accesses));
  }
  return execution;
}

bool share_granule(const Happening& a, const Happening& b) {
  return std::any_of(a.accesses.begin(), a.accesses.end(), [&](auto& x) { return find_access(b, x.granule); });
}

bool conflict(const Happening& a, const Happening& b) {
  return std::any_of(a.accesses.begin(), a.accesses.end(), [&](auto& x) {
    const Access* y = find_access(b, x.granule);
    return y && (algorithms::writes(x.kind) || algorithms::writes(y->kind));
  });
}

Order dependences(const Execution& execution) {
  Order before = program_order(execution);
  for (size_t i = 0; i < before.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (conflict(execution.events[j], execution.events[i])) before[i] |= uint64_t{1} << j;
    }
  }
  close(before);
  return before;
}

std::set<std::pair<size_t, size_t>> frontier_races(const Execution& execution) {
  Order before = dependences(execution);
  std::set<std::pair<size_t, size_t>> races;
  for (size_t i = 0; i < before.size(); ++i) {
    uint64_t between = 0;
    for (uint64_t j = before[i]; j; j &= j - 1) between |= before[__builtin_ctzll(j)];
    for (uint64_t j = before[i] & ~between; j; j &= j - 1) {
      size_t source = __builtin_ctzll(j);
      if (execution.events[source].thread != execution.events[i].thread) races.insert({source, i});
    }
  }
  return races;
}

Order implied(const Execution& execution, const std::vector<std::pair<size_t, size_t>>& edges) {
  Order before = program_order(execution);
  for (auto [source, sink] : edges) before[sink] |= uint64_t{1} << source;
  close(before);
  return before;
}

std::string open_pair(const Execution& execution, const Order& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (conflict(execution.events[j], execution.events[i]) && !(order[i] >> j & 1))
        return fmt::format("event {} before {} in {}", j, i, execution.text());
    }
  }
  return "";
}

}  // namespace ana::oracle
