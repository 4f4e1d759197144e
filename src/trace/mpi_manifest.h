// What the recording of an MPI job says about itself: manifest.json in its directory, beside the traces of the ranks.
// Written by the tool of rank 0.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trace/machine.h"
#include "trace/manifest.h"
#include "trace/rank_trace.h"
#include "trace/result.h"

namespace ana {

struct MpiManifest {
  TraceState state = TraceState::kRecording;
  std::string tool_version;
  std::vector<std::string> command;  // of rank 0
  std::string cwd;
  ProgramFile program;  // the same
  Machine machine;
  std::string started;
  uint32_t ranks = 0;
  std::string mpi;
  uint64_t id = 0;
  RankOptions options;
  std::optional<ProgramEnd> end;  // of rank 0
};

nlohmann::json to_json(const MpiManifest& manifest);
Status write_mpi_manifest(int directory, const MpiManifest& manifest);
Result<MpiManifest> read_mpi_manifest(int directory);

// A directory with a manifest of an MPI job, whole or not.
bool is_mpi_trace(const std::string& path);

// Threads of a rank need MPI and the other ranks to be replayed: an error that says so if these are of one.
Status check_not_of_rank(const std::string& path);

}  // namespace ana
