// anaphora ls: the traces that there are.
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "trace/mpi_manifest.h"
#include "trace/trace_directory.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

struct Listed {
  std::string path;
  uint64_t bytes;
  Result<Manifest> manifest;
};

Result<Manifest> manifest_of(const std::string& path) {
  auto fd = open_trace_directory(path);
  if (!fd) return fd.error();
  if (!is_mpi_trace(path)) return read_manifest(fd->get());
  auto job = read_mpi_manifest(fd->get());
  if (!job) return job.error();
  Manifest m;
  m.state = job->state;
  m.started = job->started;
  m.command = job->command;
  m.end = job->end;
  m.command.insert(m.command.begin(), {"mpirun", "-n", std::to_string(job->ranks)});
  return m;
}

nlohmann::json to_json(const Listed& trace, bool latest) {
  nlohmann::json out = {{"path", trace.path},
                        {"name", std::filesystem::path(trace.path).filename().string()},
                        {"bytes", trace.bytes},
                        {"latest", latest}};
  if (!trace.manifest) {
    out["error"] = trace.manifest.error().text;
    return out;
  }
  const Manifest& m = *trace.manifest;
  out["state"] = name_of(m.state);
  out["started"] = m.started;
  out["command"] = m.command;
  if (m.tuning.chaos != 0) out["chaos"] = m.tuning.chaos;
  if (m.end) {
    out["wall_seconds"] = m.end->wall_seconds;
    out["exit_code"] = m.end->exit_code();
  }
  return out;
}

void print(const Listed& trace, bool latest) {
  std::string name = std::filesystem::path(trace.path).filename().string();
  char mark = latest ? '*' : ' ';
  if (!trace.manifest) {
    fmt::print("{} {:<24} damaged: {}\n", mark, name, trace.manifest.error().text);
    return;
  }
  const Manifest& m = *trace.manifest;
  std::string end = m.end ? describe_end(*m.end) : "no end";
  if (m.tuning.chaos != 0) end += fmt::format(", chaos {}", m.tuning.chaos);
  std::string time = m.end ? human_seconds(m.end->wall_seconds) : "-";
  fmt::print("{} {:<24} {:<20} {:>12} {:>12}  {:<28} {}\n", mark, name, m.started, time, human_bytes(trace.bytes), end,
             fmt::join(m.command, " "));
}

int run(const std::string& where, bool json) {
  auto store = where.empty() ? TraceStore::standard() : Result<TraceStore>(TraceStore(where));
  if (!store) return fail(store.error(), kExitFailed);
  std::vector<std::string> paths = store->traces();
  std::string latest = store->latest().value_or("");
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& path : paths) {
    Listed trace{path, bytes_on_disk(path), manifest_of(path)};
    std::error_code error;
    bool is_latest = !latest.empty() && std::filesystem::equivalent(path, latest, error);
    if (json) {
      all.push_back(to_json(trace, is_latest));
    } else {
      print(trace, is_latest);
    }
  }
  if (json) print_json(all);
  if (!json && paths.empty()) say(fmt::format("there are no traces in {}", store->root()));
  return 0;
}

}  // namespace

Command add_ls(CLI::App& root) {
  CLI::App* app = root.add_subcommand("ls", "List the traces");
  auto where = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  app->add_option("directory", *where, "Where to look (default: where record saves)")->type_name("DIR");
  app->add_flag("--json", *json, "As JSON");
  return {app, [where, json] { return run(*where, *json); }};
}

}  // namespace ana
