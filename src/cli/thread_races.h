// Data races of a recording of threads: found in replays of it, told to the user.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/race_detector.h"
#include "cli/memory_names.h"
#include "cli/suppressions.h"
#include "cli/told_replay.h"
#include "trace/result.h"

namespace ana {

constexpr int kExitRaces = 66;  // as ThreadSanitizer

struct RacesOptions {
  std::string trace;
  std::string suppressions;  // files; empty: none
  std::string sarif;
  uint32_t timeout = 300;
  bool json = false;
};

// Slot, count, site, address.
using AccessName = std::tuple<uint32_t, uint64_t, uint64_t, uint64_t>;
struct SeenAccess {
  std::vector<uint64_t> calls;    // that led to it, innermost first: return addresses
  std::optional<uint64_t> value;  // that it found
};

struct ThreadRaces {
  std::string trace;
  std::vector<races::Race> found;
  std::map<AccessName, SeenAccess> seen;  // by add_stacks()
  uint64_t suppressed = 0;
  uint32_t threads = 0;
  uint64_t accesses = 0;         // looked at: each, or what checks claim
  uint64_t ordered_edges = 0, unordered_edges = 0;  // of the recording
  std::vector<ToldReplay::Run> runs;                // that it took
};

Result<ThreadRaces> find_thread_races(ToldReplay& replay);
// Of what is the same to a reader, one is left; what is suppressed goes.
void reduce_races(ThreadRaces& races, MemoryNames& names, const Suppressions& suppressions);

int show_thread_races(const std::string& path, const RacesOptions& options);

}  // namespace ana
