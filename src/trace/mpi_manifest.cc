#include "trace/mpi_manifest.h"

#include <fmt/format.h>

#include <filesystem>

#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

using nlohmann::json;

namespace {

constexpr const char* kFormatName = "anaphora-mpi-trace";
constexpr uint64_t kMaxManifestBytes = 16 << 20;

Result<json> read_json(int directory) {
  auto text = read_small_file(directory, kManifestName, kMaxManifestBytes);
  if (!text) return text.error();
  json in = json::parse(*text, nullptr, false);
  if (!in.is_object()) return Error{"manifest.json is damaged: it is not an object"};
  return in;
}

bool is_ours(const json& in) {
  return in.contains("format") && in["format"].is_object() && in["format"].value("name", "") == kFormatName;
}

MpiManifest from_json(const json& in) {
  MpiManifest m;
  std::string state = in.at("state").get<std::string>();
  for (TraceState s : {TraceState::kRecording, TraceState::kComplete, TraceState::kProgramDied}) {
    if (state == name_of(s)) m.state = s;
  }
  m.tool_version = in.at("tool").get<std::string>();
  m.command = in.at("command").get<std::vector<std::string>>();
  m.cwd = in.at("cwd").get<std::string>();
  const json& program = in.at("program");
  m.program = {program.at("path").get<std::string>(), program.at("build_id").get<std::string>(),
               program.at("bytes").get<uint64_t>()};
  const json& machine = in.at("machine");
  m.machine = {machine.at("cpu").get<std::string>(), {}, machine.at("kernel").get<std::string>(),
               machine.at("cores").get<uint32_t>()};
  m.started = in.at("started").get<std::string>();
  m.ranks = in.at("ranks").get<uint32_t>();
  m.mpi = in.at("mpi").get<std::string>();
  m.id = in.at("id").get<uint64_t>();
  m.options.mode = parse_rank_mode(in.at("mode").get<std::string>()).value_or(RankMode::kWildcard);
  if (in.contains("end")) m.end = end_from_json(in.at("end"));
  return m;
}

}  // namespace

json to_json(const MpiManifest& m) {
  json out = {{"format", {{"name", kFormatName}, {"version", kTraceFormat}, {"ranks", kRankVersion}}},
              {"tool", m.tool_version},
              {"state", name_of(m.state)},
              {"command", m.command},
              {"cwd", m.cwd},
              {"program", {{"path", m.program.path}, {"build_id", m.program.build_id}, {"bytes", m.program.bytes}}},
              {"machine", {{"cpu", m.machine.cpu}, {"kernel", m.machine.kernel}, {"cores", m.machine.cores}}},
              {"started", m.started},
              {"ranks", m.ranks},
              {"mpi", m.mpi},
              {"id", m.id},
              {"mode", name_of(m.options.mode)}};
  if (m.end) out["end"] = end_to_json(*m.end);
  return out;
}

Status write_mpi_manifest(int directory, const MpiManifest& manifest) {
  json out = to_json(manifest);
  out["checksum"] = checksum_of(out);
  return replace_file(directory, kManifestName, out.dump(1, ' ', false, json::error_handler_t::replace));
}

Result<MpiManifest> read_mpi_manifest(int directory) try {
  auto in = read_json(directory);
  if (!in) return in.error();
  if (!is_ours(*in)) return Error{"manifest.json is not that of an MPI recording"};
  const json& format = in->at("format");
  uint32_t version = format.at("version").get<uint32_t>(), ranks = format.at("ranks").get<uint32_t>();
  if (version != kTraceFormat || ranks != kRankVersion) {
    return Error{fmt::format("the recording has format {}.{}; this is version {} and reads {}.{}: use the version that "
                             "recorded it",
                             version, ranks, kToolVersion, kTraceFormat, kRankVersion)};
  }
  std::string stored = in->at("checksum").get<std::string>();
  in->erase("checksum");
  if (stored != checksum_of(*in))
    return Error{"manifest.json is damaged: its checksum is wrong, so it was changed after the recording"};
  return from_json(*in);
} catch (const json::exception& e) {
  return Error{fmt::format("manifest.json is damaged: {}", e.what())};
}

bool is_mpi_trace(const std::string& path) {
  auto directory = open_trace_directory(path);
  if (!directory) return false;
  auto in = read_json(directory->get());
  return in.ok() && is_ours(*in);
}

Status check_not_of_rank(const std::string& path) {
  std::error_code unknown;
  std::filesystem::path whole = std::filesystem::canonical(path, unknown);
  if (unknown || whole.filename().string().rfind("threads-", 0) != 0 || !is_mpi_trace(whole.parent_path())) return {};
  return Error{fmt::format("{} has the threads of a rank, which run only together with MPI and the other ranks: `mpirun -n "
                           "N anaphora replay -a {}` replays all of them", path, whole.parent_path().string())};
}

}  // namespace ana
