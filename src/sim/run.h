// One algorithm of a simulation: gets all references in order, block by block, and says what it traced.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.h"
#include "algorithms/octet.h"
#include "trace/references.h"

namespace ana::sim {

constexpr size_t kSkipBuckets = 48;

struct RunResult {
  uint64_t references = 0;
  uint64_t traced = 0;             // edges, or versions
  uint64_t traced_references = 0;  // references with at least one
  std::array<uint64_t, algorithms::kEdgeKinds> kinds{};
  uint64_t histories = 0;                      // granules that were accessed
  uint64_t history_bytes = 0;                  // theirs, and what they refer to
  uint64_t critical_path = 0;                  // 0: none
  std::array<uint64_t, kSkipBuckets> skips{};  // of the Lamport clock: [i] counts those of 2^i to 2^(i+1) - 1
  std::array<uint64_t, algorithms::kTransitions> transitions{};
  uint64_t reads = 0, local_reads = 0;  // of RWTrace
};

// What is there, whatever algorithm: -z.
struct AccessTypes {
  uint64_t references = 0;
  std::array<uint64_t, 3> kinds{};   // read, write, update
  uint64_t checks = 0;               // references that find another thread's access as the last (Netzer 5.2)
  uint64_t after_read_by_other = 0;  // reads among them that come after a read
  std::vector<uint64_t> by_thread;
  std::array<uint64_t, 26> by_size{};  // [i]: 2^i to 2^(i+1) - 1 bytes
  // Granules: of one thread, shared but only read, shared and written.
  uint64_t private_granules = 0, read_only_granules = 0, shared_granules = 0;
};

// Called for each edge that is traced (debug level 1), and with none for each reference (level 2).
struct Traced {
  const ReferenceRow& reference;
  uint64_t number;  // of the reference in the file, from 0
  uint64_t serial;
  const algorithms::Edge* edge;
};
using Watch = std::function<void(const Traced&)>;

class Run {
 public:
  virtual ~Run() = default;
  virtual void process(const ReferenceBlock& block) = 0;
  virtual RunResult result() const = 0;
};

struct RunOptions {
  unsigned threads = 0, shift = 0;
  bool serials = false;  // events have the serials of the file, if it has any; Lamport clocks go on by the difference
  Watch on_edge, on_reference;  // may be empty
};

std::unique_ptr<Run> make_run(algorithms::Name name, const RunOptions& options);

// -z.
class AccessTypesRun {
 public:
  AccessTypesRun(unsigned threads, unsigned shift);
  ~AccessTypesRun();
  void process(const ReferenceBlock& block);
  AccessTypes result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ana::sim
