#include "cli/picture_source.h"

#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "algorithms/catalogue.h"
#include "cli/memory_names.h"
#include "cli/mpi_reports.h"
#include "cli/op_names.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "cli/sites.h"
#include "cli/source_lines.h"
#include "mpi/calls.h"
#include "trace/kept_files.h"
#include "trace/mpi_manifest.h"
#include "trace/stream_format.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"
#include "view/order.h"
#include "view/read_ranks.h"
#include "view/read_threads.h"
#include "view/sharing.h"

namespace ana {

namespace {

constexpr size_t kLongestLine = 200;  // of source, in the picture

std::string absolute_path(const std::string& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// Lines of source files that are still where the compiler saw them.
class SourceText {
 public:
  explicit SourceText(std::string directory) : directory_(std::move(directory)) {}

  std::string line(const std::string& file, uint32_t number) {
    auto [at, added] = files_.try_emplace(file);
    if (added) {
      std::ifstream in(std::filesystem::path(directory_) / file);
      for (std::string text; std::getline(in, text);) at->second.push_back(std::move(text));
    }
    if (number == 0 || number > at->second.size()) return "";
    const std::string& text = at->second[number - 1];
    size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, kLongestLine);
  }

 private:
  std::string directory_;
  std::map<std::string, std::vector<std::string>> files_;
};

std::string bytes_of(std::span<const uint8_t> bytes, size_t limit) {
  return fmt::format("{} bytes: {}", bytes.size(), quote_bytes(bytes.data(), bytes.size(), limit));
}

std::string note_of(const Value& value, size_t limit, const SiteResolver& sites) {
  if (value.op == kOpEnd && value.bytes.size() == sizeof(StreamEnd)) {
    StreamEnd end;
    memcpy(&end, value.bytes.data(), sizeof end);
    std::string text = name_of(static_cast<SlotState>(end.state));
    if (auto place = sites.find(end.site)) text += fmt::format(" at {}:{}", place->file, place->line);
    return text;
  }
  if (value.op == kOpThreadStart && value.bytes.size() == sizeof(uint64_t)) {
    uint64_t ordinal;
    memcpy(&ordinal, value.bytes.data(), sizeof ordinal);
    return fmt::format("thread number {} of the program", ordinal);
  }
  if (value.op == kOpKeptFile) {
    auto input = KeptInput::from(value);
    return input ? input->path : "";
  }
  if (value.op == kOpKeptRead && value.bytes.size() >= sizeof(KeptRead)) {
    KeptRead read;
    memcpy(&read, value.bytes.data(), sizeof read);
    if (read.file != kNoKeptFile) return fmt::format("of kept file {}, from byte {} on", read.file, read.offset);
    return bytes_of(value.bytes.subspan(sizeof read), limit);
  }
  if (value.op == kOpFileMapping || value.bytes.empty()) return "";
  return bytes_of(value.bytes, limit);
}

nlohmann::json about(const TraceReader& reader) {
  const Manifest& m = reader.manifest();
  nlohmann::json out = {{"trace", absolute_path(reader.directory())},
                        {"program", m.program.path},
                        {"command", fmt::format("{}", fmt::join(m.command, " "))},
                        {"started", m.started},
                        {"machine", fmt::format("{} cores of {}", m.machine.cores, m.machine.cpu)},
                        {"end", m.end ? describe_end(*m.end) : "none: the recorder was killed"},
                        {"algorithm", m.tuning.algorithm},
                        {"kind", "threads"}};
  if (m.end) out["wall_seconds"] = m.end->wall_seconds;
  uint64_t dependences = 0;
  for (const SlotSummary& slot : m.slots) dependences += slot.status.dependences;
  if (m.end) out["dependences"] = dependences;
  return out;
}

Status add_threads(const std::string& trace, int64_t rank, size_t bytes, view::Picture& picture) {
  auto reader = TraceReader::open(trace);
  if (!reader) return reader.error();
  const algorithms::Entry* algorithm = algorithms::find_algorithm(reader->manifest().tuning.algorithm.c_str());
  if (algorithm->logs == algorithms::Logs::clocks || algorithm->logs == algorithms::Logs::versions)
    return Error{fmt::format("{} was recorded with {}, which logs {} and no edges: there are no arrows to draw",
                             trace, algorithm->text, algorithms::name_of(algorithm->logs))};
  SiteResolver sites(*reader);
  SourceText source(reader->manifest().cwd);
  view::Describe describe;
  describe.place = [&](uint64_t site) {
    auto found = sites.find(site);
    if (!found) return view::Place{"", fmt::format("{:#x}", site), 0, 0, ""};
    std::string text = source.line(found->file, found->line);
    return view::Place{found->file, demangled(found->function), found->line, found->column, text};
  };
  describe.operation = op_name;
  describe.note = [&](const Value& value) { return note_of(value, bytes, sites); };
  ProgressLine line("reading");
  auto progress = [&](uint64_t done, uint64_t total) { line.update(done, total); };
  if (rank < 0) picture.about = about(*reader);
  return view::add_threads(*reader, rank, describe, progress, picture);
}

// The places that receive from any source: which event was at which is not in the trace.
nlohmann::json places_of(const Job& job) {
  nlohmann::json out = nlohmann::json::array();
  for (const RankTrace& rank : job.ranks) {
    for (const RankSite& site : rank.sites) {
      out.push_back({{"rank", rank.rank},
                     {"call", mpi::name_of(static_cast<mpi::Call>(site.call))},
                     {"place", describe_address(site.module, site.offset)},
                     {"receives", site.receives},
                     {"raced", site.raced}});
    }
  }
  return out;
}

Status add_job(const std::string& trace, size_t bytes, view::Picture& picture) {
  auto job = read_job(trace);
  if (!job) return job.error();
  const MpiManifest& m = job->manifest;
  picture.about = {{"trace", absolute_path(trace)},
                   {"program", m.program.path},
                   {"command", fmt::format("{}", fmt::join(m.command, " "))},
                   {"started", m.started},
                   {"machine", fmt::format("{} cores of {}", m.machine.cores, m.machine.cpu)},
                   {"end", m.end ? describe_end(*m.end) : "none: the recorder was killed"},
                   {"kind", "ranks"},
                   {"ranks", m.ranks},
                   {"messages", name_of(m.options.mode)},
                   {"rank_places", places_of(*job)}};
  if (m.end) picture.about["wall_seconds"] = m.end->wall_seconds;
  if (Status s = view::add_ranks(job->ranks, picture); !s) return Error{trace + ": " + s.error().text};
  for (uint32_t i = 0; i < m.ranks; i++) {
    std::string threads = threads_path(trace, i);
    if (!is_trace(threads)) continue;
    if (Status s = add_threads(threads, i, bytes, picture); !s) return s;
  }
  return {};
}

}  // namespace

Result<view::Picture> draw(const std::string& trace, size_t bytes, const std::string& references) {
  view::Picture picture;
  if (!references.empty() && is_mpi_trace(trace))
    return Error{"--references is for recordings of threads; draw the threads of one rank alone (" +
                 threads_path(trace, 0) + ") to use it"};
  Status read = is_mpi_trace(trace) ? add_job(trace, bytes, picture) : add_threads(trace, -1, bytes, picture);
  if (!read) return read.error();
  if (picture.events() == 0)
    return Error{trace + " has no events: the program had not begun when its recorder was killed"};
  if (!references.empty()) {
    ProgressLine line("reading references");
    auto progress = [&](uint64_t done, uint64_t total) { line.update(done, total); };
    if (Status s = view::find_sharing(references, picture, progress); !s) return s.error();
    picture.has_sharing = true;
  }
  ProgressLine line("ordering");
  if (Status s = view::put_in_order(picture, [&](uint64_t done, uint64_t total) { line.update(done, total); }); !s)
    return Error{trace + ": " + s.error().text};
  return picture;
}

}  // namespace ana
