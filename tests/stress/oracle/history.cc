#include "history.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace oracle {

namespace {

Slot& slot_of(History& history, uint32_t number) {
  if (history.slots.size() <= number) history.slots.resize(number + 1);
  return history.slots[number];
}

bool read_log(const std::string& path, History& into, std::string& error) {
  FILE* file = fopen(path.c_str(), "r");
  if (file == nullptr) {
    error = "cannot read " + path;
    return false;
  }
  Access a;
  char kind;
  while (fscanf(file, "%u %" SCNu64 " %u %c %" SCNx64 " %" SCNx64, &a.slot, &a.count, &a.location, &kind, &a.read,
                &a.written) == 6) {
    a.kind = static_cast<Kind>(kind);
    std::vector<Access>& accesses = slot_of(into, a.slot).accesses;
    a.index = static_cast<uint32_t>(accesses.size());
    if (!accesses.empty() && accesses.back().count >= a.count) {
      error = "counts do not grow in slot " + std::to_string(a.slot) + " at " + std::to_string(a.count);
      break;
    }
    accesses.push_back(a);
  }
  fclose(file);
  return error.empty();
}

bool read_trace(const std::string& path, History& into, std::string& error) {
  std::ifstream file(path);
  if (!file) {
    error = "cannot read " + path;
    return false;
  }
  for (std::string line; std::getline(file, line);) {
    auto action = nlohmann::json::parse(line, nullptr, false);
    if (action.is_discarded()) {
      error = "not JSON: " + line;
      return false;
    }
    if (action.value("kind", "") != "edge") continue;
    slot_of(into, action["source"]);
    slot_of(into, action["slot"])
        .edges.push_back({action["count"], action["source"], action["source_count"], action["source_edges"]});
  }
  return true;
}

}  // namespace

uint64_t History::edges() const {
  uint64_t sum = 0;
  for (const Slot& slot : slots) sum += slot.edges.size();
  return sum;
}

bool read_history(const std::string& log, const std::string& trace, History& into, std::string& error) {
  return read_log(log, into, error) && read_trace(trace, into, error);
}

}  // namespace oracle
