// What a trace says about itself: manifest.json in its directory. Written when recording starts (state kRecording) and
// replaced at the end, so a trace whose recorder was killed has a manifest without `end`.
//
// The file carries a checksum over its contents: a changed exit status or build id would make replay fail in ways that
// nobody could explain.
#pragma once
#include <stdint.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trace/machine.h"
#include "trace/result.h"
#include "trace/session.h"
#include "trace/stream_writer.h"

namespace ana {

enum class TraceState { kRecording, kComplete, kProgramDied };

struct ProgramFile {
  std::string path;  // absolute
  std::string build_id;
  uint64_t bytes = 0;
};

// The options that shape a recording.
struct RecordTuning {
  uint32_t tenure_ns = 8000;  // of a line; measured: a shorter one multiplies the edges, a longer one idles the others
  uint32_t yield_at_checks = 0;
  bool full_check = false;   // accesses are hashed; replays compare them
  bool no_patch = false;     // system calls are dispatched only
  uint64_t chaos = 0;        // seed of the delays that perturb the schedule; 0: none
  uint32_t first_epoch = 1;  // 0 would let every check pass on an empty table
  std::string algorithm = "ownership";
  uint32_t granularity = 8;  // bytes; of algorithms
  uint32_t max_threads = 64; // at once; of algorithms
};

struct ProgramEnd {
  int status = 0;  // exit status, if signal is 0
  int signal = 0;
  std::optional<Report> report;
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  uint64_t max_rss_kib = 0;
  uint64_t threads_created = 0;
  uint64_t processes_created = 0;
  bool executed = false;

  // What the shell shows: the status, or 128 + signal.
  int exit_code() const { return signal != 0 ? 128 + signal : status; }
};

struct SlotSummary {
  uint32_t slot = 0;
  uint64_t count = 0;
  uint64_t raw_bytes = 0;
  SlotStatus status{};
};

// The part of a file that the program had read, as it is in the trace (kept_files.h).
struct KeptCopy {
  uint32_t number = 0;
  uint64_t first = 0, end = 0;  // its bytes
  std::string hash;             // XXH64 of them, 16 hexadecimal digits
};

// The trace of a child that was forked and went on with the program's code: its streams continue those of its parent's.
struct ForkOrigin {
  std::string parent;             // where the parent's trace is, seen from this one: "../.." or "../<name>"
  uint32_t slot = 0;              // of the thread that forked
  std::vector<ForkPoint> points;  // of all slots that there were
};

struct Manifest {
  TraceState state = TraceState::kRecording;
  std::string tool_version;
  std::vector<std::string> command;
  std::string cwd;
  ProgramFile program;
  Machine machine;
  std::string started;  // UTC, ISO 8601
  RecordTuning tuning;
  std::optional<ForkOrigin> forked;
  // Only with an end:
  std::optional<ProgramEnd> end;
  StreamTotals totals;
  std::vector<SlotSummary> slots;
  std::vector<KeptCopy> kept;
};

const char* name_of(TraceState state);
const char* name_of(SlotState state);
const char* name_of(ReportKind kind);

nlohmann::json to_json(const Manifest& manifest);
nlohmann::json end_to_json(const ProgramEnd& end);
ProgramEnd end_from_json(const nlohmann::json& in);
// The checksum that a manifest carries, of all that it holds beside.
std::string checksum_of(const nlohmann::json& without_checksum);
std::string format_manifest(const Manifest& manifest);
Result<Manifest> parse_manifest(const std::string& text);

Status write_manifest(int directory, const Manifest& manifest);
Result<Manifest> read_manifest(int directory);

}  // namespace ana
