// `anaphora replay --rank=N` without -a: one rank of an MPI job in gdb, from its recorded contents, forwards and backwards.
// Called from one thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/event_name.h"
#include "trace/rank_session.h"

namespace ana::debug {

struct RankDebugRequest {
  RankRequest rank;
  std::string trace;
  uint32_t number = 0;                // of the rank
  std::optional<ProgramEnd> end;      // as recorded; a rank that was killed with its recorder has none
  std::optional<uint16_t> port;       // as in DebugRequest
  std::optional<EventName> begin;     // a call of MPI; without it a crash, or main
  std::vector<std::string> gdb_arguments;
  std::function<void(const std::string&)> say;
  std::function<std::string(const ProgramEnd&)> describe_end;
};

// The exit status of gdb, or 0 if it was somebody else's.
Result<int> debug_rank(const RankDebugRequest& request);

}  // namespace ana::debug
