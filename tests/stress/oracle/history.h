// What the oracle judges: the accesses that a program wrote down, and the edges that the recorder logged.
//
// Read once from the two files, then only looked at. Accesses of a slot are in program order; their counts grow
// strictly.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

enum class Kind : char { kRead = 'r', kWrite = 'w', kUpdate = 'u' };

struct Access {
  uint32_t slot;
  uint32_t index;  // in its slot
  uint64_t count;
  uint32_t location;
  Kind kind;
  uint64_t read, written;

  bool reads() const { return kind != Kind::kWrite; }
  bool writes() const { return kind != Kind::kRead; }
};

// At `count`, before its access there, the slot waited for what `source` had done by its count `source_count`, after
// `source_edges` waits of its own.
struct Edge {
  uint64_t count;
  uint32_t source;
  uint64_t source_count, source_edges;
  bool dropped = false;
};

struct Slot {
  std::vector<Access> accesses;
  std::vector<Edge> edges;
};

struct History {
  std::vector<Slot> slots;
  uint64_t edges() const;
};

// `trace` is the output of `anaphora dump --json`. On failure `error` says why.
bool read_history(const std::string& log, const std::string& trace, History& into, std::string& error);

// Values alone: is there for each location an order of its writes that every thread's accesses agree with?
bool values_are_coherent(const History& history, std::string& error);

struct Verdict {
  bool good = true;
  uint64_t pairs = 0;          // conflicting pairs that were looked at
  uint64_t between_slots = 0;  // of these, of two slots
  std::string first_problem;
};

// Values and edges: do program order and edges put every conflicting pair in order, and does that order explain every
// value that was read?
Verdict judge(const History& history);

}  // namespace oracle
