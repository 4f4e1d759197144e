// `anaphora replay` without -a: the replayed process, traced and one thread at a time, our side of gdb's remote protocol,
// and gdb itself, as a child that is connected to it; or, with a port, whatever connects there. Called from one thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "debug/server.h"
#include "trace/event_name.h"
#include "trace/replay_session.h"

namespace ana::debug {

struct DebugRequest {
  std::string host;
  Slices slices = Slices::kNever;
  std::optional<uint16_t> port;                         // on this machine; 0: any free one
  std::optional<EventName> begin;                       // without it a crash, or the beginning
  std::vector<std::string> gdb_arguments;
  std::function<void(const std::string&)> say;
  ServerTexts texts;
};

// The exit status of gdb, or 0 if it was somebody else's.
Result<int> debug_replay(const TraceReader& reader, const Schedule& schedule, const DebugRequest& request);

}  // namespace ana::debug
