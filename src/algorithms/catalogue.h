// The names of the tracing algorithms, for the command line and for files.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

enum class Name : uint8_t {
  trace_all,
  optimal_vector,
  optimal_non_critical,
  optimal_lamport,
  compressed_vector,
  compressed_non_critical,
  compressed_lamport,
  rwtrace_1,
  rwtrace_2,
  mutex_lock,
  crew_lock,
  octet,
  ownership,
};

// What a trace has for each traced reference.
enum class Logs : uint8_t {
  versions,    // of every reference
  edges,       // (thread, serial)
  clocks,      // (thread, Lamport time)
  raw_waw,     // edges, write-after-read to be deduced
};

struct Entry {
  Name name;
  const char* text;
  char letter;  // the option of Stradal's simulator, 0 if it has none
  Logs logs;
  const char* description;
};

inline constexpr Entry kCatalogue[] = {
    {Name::trace_all, "trace-all", 0, Logs::versions, "every reference with its object's version (Instant Replay)"},
    {Name::optimal_vector, "optimal-vector", 'o', Logs::edges,
     "the transitive reduction of all dependences (Netzer 1993)"},
    {Name::optimal_non_critical, "optimal-non-critical", 'n', Logs::edges,
     "the same with edges moved to where the other thread is now (Stradal 1994)"},
    {Name::optimal_lamport, "optimal-lamport", 'l', Logs::clocks,
     "dependences that make a Lamport clock jump (Levrouw et al. 1994)"},
    {Name::compressed_vector, "compressed-vector", 'c', Logs::edges,
     "the last access of each granule only, reads order each other too (Stradal 1994)"},
    {Name::compressed_non_critical, "compressed-non-critical", 'r', Logs::edges,
     "the same with edges moved to where the other thread is now (Stradal 1994)"},
    {Name::compressed_lamport, "compressed-lamport", 'm', Logs::clocks,
     "the last access of each granule only, with Lamport clocks (Stradal 1994)"},
    {Name::rwtrace_1, "rwtrace-1", 0, Logs::raw_waw,
     "read-after-write and write-after-write, reads without locks (Jiang et al. 2015)"},
    {Name::rwtrace_2, "rwtrace-2", 0, Logs::edges, "the same and write-after-read (Jiang et al. 2015)"},
    {Name::mutex_lock, "mutex-lock", 0, Logs::edges, "who had each granule's lock before (LEAP)"},
    {Name::crew_lock, "crew-lock", 0, Logs::raw_waw, "read-after-write and write-after-write under a read/write lock"},
    {Name::octet, "octet", 0, Logs::edges, "changes of Octet's states, which are counted too (Bond et al. 2013)"},
    {Name::ownership, "ownership", 0, Logs::edges, "lines that are owned, with epochs (the default recorder)"},
};

inline const Entry& entry(Name name) { return kCatalogue[static_cast<unsigned>(name)]; }

// Null if there is none of that name.
inline const Entry* find_algorithm(const char* text) {
  for (const Entry& e : kCatalogue) {
    const char *a = e.text, *b = text;
    while (*a && *a == *b) ++a, ++b;
    if (*a == *b) return &e;
  }
  return nullptr;
}

inline const char* name_of(Logs logs) {
  switch (logs) {
    case Logs::versions: return "versions";
    case Logs::edges: return "edges";
    case Logs::clocks: return "lamport-clocks";
    case Logs::raw_waw: return "raw-waw-edges";
  }
  return "";
}

}  // namespace ana::algorithms
