#include "cli/mpi_reports.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "trace/contents_file.h"
#include "trace/mpi_manifest.h"
#include "trace/packed_files.h"
#include "trace/rank_events.h"
#include "trace/rank_session.h"
#include "trace/trace_directory.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"

namespace ana {

Result<Job> read_job(const std::string& trace) {
  auto directory = open_trace_directory(trace);
  if (!directory) return directory.error();
  auto manifest = read_mpi_manifest(directory->get());
  if (!manifest) return Error{trace + ": " + manifest.error().text};
  Job job{*manifest, {}, {}};
  for (uint32_t i = 0; i < manifest->ranks; i++) {
    auto rank = read_rank(directory->get(), i);
    if (!rank) return Error{trace + ": " + rank.error().text};
    job.contents.emplace_back();
    if (rank->options.contents) {
      auto contents = ContentsReader::open(directory->get(), i);
      if (!contents) return Error{trace + ": " + contents.error().text};
      job.contents.back() = {contents->raw_bytes(), contents->stored_bytes()};
    }
    job.ranks.push_back(std::move(*rank));
  }
  return job;
}

namespace {

struct Counted {
  const char* name;
  const char* title;
  uint64_t RankCounts::*count;
};
constexpr Counted kCounted[] = {
    {"messages_sent", "messages sent", &RankCounts::messages_sent},
    {"messages_received", "received", &RankCounts::messages_received},
    {"wildcard_receives", "of any source", &RankCounts::wildcard_receives},
    {"probed", "of them probes", &RankCounts::probed},
    {"traced", "traced", &RankCounts::traced},
    {"raced", "raced", &RankCounts::raced},
    {"outcomes", "outcomes", &RankCounts::outcomes},
    {"no_outcomes", "answers of no", &RankCounts::no_outcomes},
    {"opened", "tried racing", &RankCounts::opened},
    {"hints_sent", "timestamps", &RankCounts::hints_sent},
    {"hint_bytes", "their bytes", &RankCounts::hint_bytes},
};

uint64_t total(const Job& job, const Counted& c) {
  uint64_t sum = 0;
  for (const RankTrace& rank : job.ranks) sum += rank.counts.*c.count;
  return sum;
}

// Without timestamps nobody knows which receives raced: a count of 0 would say that none did.
bool is_known(const Job& job, const Counted& c) {
  if (c.count != &RankCounts::raced) return true;
  return std::any_of(job.ranks.begin(), job.ranks.end(), [](const RankTrace& rank) {
    return rank.options.mode == RankMode::kRacing || rank.counts.opened > 0;
  });
}

// Bytes of a rank's streams by what they are for.
struct Bytes {
  uint64_t receives = 0, outcomes = 0, times = 0, checks = 0, other = 0;
  uint64_t events = 0;  // that vary from run to run: matches, outcomes, runs of no, times
};

Bytes bytes_of(const RankTrace& trace) {
  Bytes bytes;
  for (const RankStream& stream : trace.streams) {
    if (stream.stream >= kMaxStreams) continue;
    const uint8_t* end = stream.bytes.data() + stream.bytes.size();
    RankDecoder decoder;
    RankEvent event;
    for (const uint8_t* at = stream.bytes.data(); at < end;) {
      const uint8_t* next = decoder.get(at, end, event);
      if (next == nullptr) break;
      uint64_t n = static_cast<uint64_t>(next - at);
      at = next;
      bytes.events++;
      switch (event.kind) {
        case EventKind::kMatch:
        case EventKind::kMatchAt:
        case EventKind::kUnmatched:
        case EventKind::kTraced:
          bytes.receives += n;
          break;
        case EventKind::kOutcome:
        case EventKind::kNo:
          bytes.outcomes += n;
          break;
        case EventKind::kTime:
          bytes.times += n;
          break;
        case EventKind::kCheck:
          bytes.checks += n;
          bytes.events--;
          break;
        default:
          bytes.other += n;
          bytes.events--;
      }
    }
  }
  return bytes;
}

void row(const char* title, const std::string& text) { fmt::print("{:<14} {}\n", title, text); }

nlohmann::json rank_json(const RankTrace& trace, const ContentsBytes& contents) {
  nlohmann::json out = to_json(trace);
  Bytes bytes = bytes_of(trace);
  out["bytes"] = {{"receives", bytes.receives}, {"outcomes", bytes.outcomes}, {"times", bytes.times},
                  {"checks", bytes.checks},     {"other", bytes.other},       {"events", bytes.events},
                  {"raw", trace.raw_bytes()},   {"stored", trace.stored_bytes}};
  if (trace.options.contents) {
    out["bytes"]["contents"] = contents.raw;
    out["bytes"]["contents_stored"] = contents.stored;
  }
  return out;
}

// Of all ranks whose threads are recorded; `anaphora stats` of one such trace says more.
void print_threads(const std::vector<std::string>& traces) {
  uint64_t threads = 0, edges = 0, bytes = 0;
  for (const std::string& trace : traces) {
    auto reader = TraceReader::open(trace);
    if (!reader) continue;
    if (reader->has_end()) threads += 1 + reader->manifest().end->threads_created;
    for (const SlotSummary& slot : reader->manifest().slots) edges += slot.status.edges;
    bytes += reader->file_bytes();
  }
  row("threads", fmt::format("{} in {} ranks, {} edges, in {}: see {}", human_count(threads), traces.size(),
                             human_count(edges), human_bytes(bytes), traces[0]));
}

void print_job(const std::string& trace, const Job& job) {
  const MpiManifest& m = job.manifest;
  row("trace", trace);
  row("program", fmt::format("{} ({})", m.program.path, m.program.build_id));
  row("command", fmt::format("{}", fmt::join(m.command, " ")));
  row("recorded", fmt::format("{} on {} cores of {}, {}", m.started, m.machine.cores, m.machine.cpu, m.machine.kernel));
  row("ranks", fmt::format("{} of {}, mode {}", m.ranks, m.mpi == "mpich" ? "MPICH" : "Open MPI",
                           name_of(job.ranks.empty() ? m.options.mode : job.ranks[0].options.mode)));
  row("end of rank 0", m.end ? describe_end(*m.end) : "none: its recorder was killed, or is still recording");
  for (const Counted& c : kCounted)
    row(c.title, is_known(job, c) ? human_count(total(job, c)) : "not looked for: record with --messages=racing");
  Bytes sum;
  uint64_t raw = 0, stored = 0;
  for (const RankTrace& rank : job.ranks) {
    Bytes b = bytes_of(rank);
    sum.receives += b.receives;
    sum.outcomes += b.outcomes;
    sum.times += b.times;
    sum.checks += b.checks;
    sum.events += b.events;
    raw += rank.raw_bytes();
    stored += rank.stored_bytes;
  }
  row("bytes", fmt::format("{} for receives, {} for outcomes, {} for times, {} for checks", human_count(sum.receives),
                           human_count(sum.outcomes), human_count(sum.times), human_count(sum.checks)));
  if (sum.events > 0) {
    double events = static_cast<double>(sum.events);
    row("per event", fmt::format("{:.2f} bytes for each of {} events that vary from run to run ({:.2f} with checks and ends)",
                                 static_cast<double>(sum.receives + sum.outcomes + sum.times) / events,
                                 human_count(sum.events), static_cast<double>(raw) / events));
  }
  row("files", fmt::format("{}, in {}", human_bytes(raw), human_bytes(stored)));
  ContentsBytes contents;
  for (const ContentsBytes& c : job.contents) {
    contents.raw += c.raw;
    contents.stored += c.stored;
  }
  if (contents.stored > 0)
    row("contents", fmt::format("{}, in {}", human_bytes(contents.raw), human_bytes(contents.stored)));
  if (auto threads = threads_of_ranks(trace); !threads.empty()) print_threads(threads);
}

void print_ranks(const Job& job) {
  fmt::print("\n{:>5} {:<20} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "rank", "end", "sent", "received",
             "any source", "traced", "outcomes", "bytes");
  for (const RankTrace& r : job.ranks) {
    std::string end = r.finished ? "finalized" : r.aborted ? "MPI_Abort" : r.end ? describe_end(*r.end) : "killed";
    fmt::print("{:>5} {:<20} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}\n", r.rank, end, r.counts.messages_sent,
               r.counts.messages_received, r.counts.wildcard_receives, r.counts.traced, r.counts.outcomes,
               r.raw_bytes());
  }
}

}  // namespace

int stats_mpi(const std::string& trace, bool each_rank, bool json) {
  auto job = read_job(trace);
  if (!job) return fail(job.error(), kExitFailed);
  if (json) {
    nlohmann::json out = to_json(job->manifest);
    out["trace"] = trace;
    for (size_t i = 0; i < job->ranks.size(); i++)
      out["rank"].push_back(rank_json(job->ranks[i], job->contents[i]));
    for (const Counted& c : kCounted)
      out["totals"][c.name] = is_known(*job, c) ? nlohmann::json(total(*job, c)) : nlohmann::json();
    for (const std::string& threads : threads_of_ranks(trace)) out["threads"].push_back(threads);
    print_json(out);
    return 0;
  }
  print_job(trace, *job);
  if (each_rank) print_ranks(*job);
  return 0;
}

namespace {

Status verify_contents(int directory, const RankTrace& rank) {
  auto contents = ContentsReader::open(directory, rank.rank);
  if (!contents) return contents.error();
  if (contents->id() != rank.id) return Error{contents_file_name(rank.rank) + " is from another recording"};
  Status checked = check_contents(*contents, !rank.finished);
  if (!checked) return Error{contents_file_name(rank.rank) + ": " + checked.error().text};
  return {};
}

}  // namespace

int verify_mpi(const std::string& trace, bool json, const std::function<Verdict(const std::string&)>& examine) {
  std::vector<std::string> errors, notes;
  auto directory = open_trace_directory(trace);
  auto manifest = directory ? read_mpi_manifest(directory->get()) : Result<MpiManifest>(directory.error());
  if (!manifest) errors.push_back(manifest.error().text);
  bool with_threads = !threads_of_ranks(trace).empty();
  auto packed = PackedFiles::open(trace);
  Status unchanged = packed ? packed->check() : Status(packed.error());
  if (!unchanged) errors.push_back(unchanged.error().text);
  for (uint32_t i = 0; manifest.ok() && i < manifest->ranks; i++) {
    auto rank = read_rank(directory->get(), i);
    if (!rank) {
      errors.push_back(rank.error().text);
      continue;
    }
    if (rank->id != manifest->id) errors.push_back(fmt::format("{} is from another recording", rank_file_name(i)));
    if (rank->ranks != manifest->ranks)
      errors.push_back(fmt::format("{} is from a job of {} ranks", rank_file_name(i), rank->ranks));
    for (const RankStream& stream : rank->streams) {
      if (stream.stream >= kMaxStreams) continue;
      if (auto at = find_damage(stream))
        errors.push_back(fmt::format("{}: stream {} is damaged at byte {}", rank_file_name(i), stream.stream, *at));
    }
    if (rank->options.contents) {
      if (Status s = verify_contents(directory->get(), *rank); !s) errors.push_back(s.error().text);
    }
    if (!rank->finished) notes.push_back(fmt::format("rank {} did not come to MPI_Finalize", i));
    if (with_threads) {
      Verdict threads = examine(threads_path(trace, i));
      for (const std::string& text : threads.errors) errors.push_back(fmt::format("threads of rank {}: {}", i, text));
      for (const std::string& text : threads.notes) notes.push_back(fmt::format("threads of rank {}: {}", i, text));
    }
    if (i > 0 || !packed) continue;
    auto program = identify_command(packed->find(rank->program.path));
    if (!program || program->build_id != rank->program.build_id)
      notes.push_back(fmt::format("cannot be replayed here: {} is not the recorded program", rank->program.path));
  }
  if (json) {
    print_json({{"trace", trace}, {"ok", errors.empty()}, {"errors", errors}, {"notes", notes}});
  } else {
    for (const std::string& error : errors) fmt::print("error: {}\n", error);
    for (const std::string& note : notes) fmt::print("{}\n", note);
    fmt::print("{}: {}\n", trace, errors.empty() ? "intact" : "damaged");
  }
  return errors.empty() ? 0 : kExitFailed;
}

}  // namespace ana
