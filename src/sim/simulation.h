// A pass over a file of references with several algorithms at once. Reading and each algorithm are done in the order of
// the file, but side by side: whoever has nothing to do takes the algorithm that is furthest behind, or reads on.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "sim/run.h"

namespace ana::sim {

struct SimulationOptions {
  std::vector<algorithms::Name> algorithms;
  bool access_types = false;
  unsigned shift = 0;
  bool serials = false;  // as in RunOptions
  unsigned workers = 0;  // 0: one per processor
  // Of the tool's own thread: bytes read and all.
  std::function<void(uint64_t, uint64_t)> progress;
  // Called as in RunOptions, with the algorithm; only with one worker.
  std::function<void(algorithms::Name, const Traced&)> on_edge, on_reference;
};

struct SimulationResult {
  uint32_t threads = 0;
  uint64_t references = 0;
  std::vector<RunResult> results;  // of options.algorithms
  AccessTypes types;               // if asked for
};

Result<SimulationResult> simulate(const std::string& path, const SimulationOptions& options);

}  // namespace ana::sim
