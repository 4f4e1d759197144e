// The trace of one MPI rank as the tools see it: read from the file that the rank mapped (rank_format.h) or from what
// that was packed into after the end; docs/format.md has both. Nothing in a file is trusted.
#pragma once
#include <stdint.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trace/manifest.h"
#include "trace/rank_format.h"
#include "trace/result.h"

namespace ana {

struct RankOptions {
  RankMode mode = RankMode::kWildcard;
  bool full_check = false;
  uint32_t chaos = 0;  // microseconds
  bool race_graph = false;  // race_facts.h
  bool contents = false;  // save what each rank gets, too
  uint64_t racing_after = kRacingAfter;
};

struct RankStream {
  uint32_t stream = 0;
  uint64_t calls = 0;   // of MPI, that the thread had begun
  bool inside = false;  // the last of them was not over
  std::vector<uint8_t> bytes;
};

struct RankSite {
  std::string module;
  uint64_t offset = 0;
  uint32_t call = 0;
  uint64_t receives = 0, raced = 0, sources = 0, racing = 0;
};

// Of what the rank did; all 64 bits, under the name that they have in the file.
struct RankCounts {
  uint64_t messages_sent = 0, messages_received = 0, wildcard_receives = 0, traced = 0, raced = 0, outcomes = 0,
           no_outcomes = 0, hints_sent = 0, hint_bytes = 0, probed = 0, opened = 0;
};

struct RankTrace {
  uint32_t rank = 0, ranks = 0;
  uint64_t id = 0;
  std::string mpi;  // "openmpi", "mpich"
  RankOptions options;
  std::vector<std::string> command;
  std::string cwd;
  ProgramFile program;
  bool finished = false;  // came to MPI_Finalize
  bool aborted = false;   // called MPI_Abort
  std::optional<ProgramEnd> end;
  RankCounts counts;
  std::vector<RankSite> sites;
  std::vector<RankStream> streams;
  bool packed = false;
  uint64_t stored_bytes = 0;  // of the file

  uint64_t raw_bytes() const;  // of the threads' streams
};

const char* name_of(RankMode mode);
std::optional<RankMode> parse_rank_mode(const std::string& name);
std::string rank_file_name(uint32_t rank);

// The description of the rank, in JSON: what a live file begins with.
nlohmann::json to_json(const RankTrace& trace);

// Makes the file that the rank will map.
Status create_live_rank(int directory, const RankTrace& trace);
Result<RankTrace> read_rank(int directory, uint32_t rank);
// Replaces the live file by a packed one, with the end.
Status pack_rank(int directory, uint32_t rank, const ProgramEnd& end);

// Reads events until the end or the first that cannot be; the place of the latter, if there is one.
std::optional<size_t> find_damage(const RankStream& stream);

}  // namespace ana
