// anaphora replay [-a] [options] [trace] [-- arguments for gdb]
#include <filesystem>
#include <memory>
#include <optional>

#include "algorithms/catalogue.h"
#include "cli/commands.h"
#include "cli/mpi_jobs.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "cli/told_replay.h"
#include "debug/debug_session.h"
#include "debug/rank_debug_session.h"
#include "trace/child_traces.h"
#include "trace/load_schedule.h"
#include "trace/mpi_manifest.h"
#include "trace/replay_session.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

struct ReplayArguments {
  std::string trace;
  std::string check = "normal";
  uint32_t timeout = 300;
  bool automatic = false;
  bool quiet = false;
  bool control_messages = false;
  std::string lamport = "every";
  std::string references;
  bool by_trap_flag = false;
  std::optional<uint32_t> rank;  // of an MPI job, alone
  std::string process;
  // For the debugger.
  std::string begin;                    // T:E
  std::optional<uint16_t> port;
  std::vector<std::string> scripts;
  std::string interpreter;
  std::vector<std::string> gdb_arguments;
};

int judge(const ReplayOutcome& outcome, const ReplayArguments& options, const TraceReader& reader) {
  const Manifest& manifest = reader.manifest();
  SiteResolver sites(reader);
  if (outcome.faithful()) {
    bool stopped = manifest.end && manifest.end->report;
    if (stopped && !options.quiet)
      say("the recording ends here: " + describe_report(*manifest.end->report, outcome.slots, sites));
    return outcome.expected.exit_code();
  }
  // The recording itself stopped with a report: coming to the same point is what a replay shall do.
  if (outcome.report && manifest.end && manifest.end->report && manifest.end->report->kind == outcome.report->kind) {
    if (!options.quiet) say("the recording ends here: " + describe_report(*outcome.report, outcome.slots, sites));
    return outcome.expected.exit_code();
  }
  if (outcome.report) {
    say(describe_report(*outcome.report, outcome.slots, sites));
  } else if (outcome.timed_out) {
    say(fmt::format("no thread has moved for {} s, so the replay was stopped (--timeout changes that)\n{}",
                    options.timeout, describe_slots(outcome.slots, sites)));
  } else if (outcome.interrupted) {
    say("the replay was interrupted");
  } else {
    say(fmt::format("the replay ended with {}, the recording with {}", describe_end(outcome.end),
                    describe_end(outcome.expected)));
  }
  return kExitTool;
}

Slices slices_of(const ReplayArguments& options, const Manifest& manifest) {
  if (algorithm_of(manifest).logs != algorithms::Logs::clocks || options.lamport == "process") return Slices::kNever;
  return options.lamport == "traced" ? Slices::kTracedEvents : Slices::kEveryEvent;
}

int replay_threads(const std::string& path, const ReplayArguments& options);

std::string describe_recorded_end(const TraceReader& reader, debug::Replica& at, SiteResolver& sites) {
  Report report = at.header().report;
  if (report.kind != 0) {
    report.text[sizeof report.text - 1] = 0;
    return fmt::format("anaphora: {}\n", describe_report(report, {}, sites));
  }
  return fmt::format("anaphora: the recording ends here, with {}\n", describe_end(recorded_end(reader.manifest())));
}

// For a line of `info threads`.
std::string describe_briefly(SiteResolver& sites, uint64_t site) {
  auto place = sites.find(site);
  if (!place || place->file.empty()) return sites.describe(site);
  return fmt::format("{}:{}", std::filesystem::path(place->file).filename().string(), place->line);
}

std::vector<std::string> gdb_arguments(const ReplayArguments& options) {
  std::vector<std::string> words;
  if (!options.interpreter.empty()) words.push_back("-i=" + options.interpreter.substr(options.interpreter[0] == '='));
  for (const std::string& script : options.scripts) words.insert(words.end(), {"-x", script});
  words.insert(words.end(), options.gdb_arguments.begin(), options.gdb_arguments.end());
  return words;
}

int open_debugger(const TraceReader& reader, const Schedule& schedule, const std::string& host,
                  const ReplayArguments& options) {
  SiteResolver sites(reader);
  debug::DebugRequest request;
  request.host = host;
  request.slices = slices_of(options, reader.manifest());
  request.port = options.port;
  request.say = say;
  if (!options.begin.empty()) {
    request.begin = parse_event(options.begin);
    if (!request.begin)
      return fail({"-g needs a thread and an event, as in -g 1:2000"}, kExitUsage);
  }
  request.gdb_arguments = gdb_arguments(options);
  std::error_code unknown;
  request.texts = {reader.program_file(), std::filesystem::read_symlink("/proc/self/exe", unknown).string(),
                   std::filesystem::absolute(reader.directory(), unknown).string(),
                   [&](debug::Replica& at) { return describe_recorded_end(reader, at, sites); },
                   [&](uint64_t site) { return describe_briefly(sites, site); }};
  auto status = debug::debug_replay(reader, schedule, request);
  return status ? *status : fail(status.error(), kExitTool);
}

int run(const ReplayArguments& options) {
  auto path = find_trace(options.trace);
  if (!path) return fail_once(path.error(), kExitTool);
  if (!options.process.empty()) {
    *path = child_trace(*path, options.process);
    if (!is_trace(*path))
      return fail({fmt::format("{} was not recorded; `anaphora ps` lists the processes that were", options.process)},
                  kExitTool);
  }
  if (!is_mpi_trace(*path)) {
    if (Status s = check_not_of_rank(*path); !s) return fail(s.error(), kExitTool);
    if (options.rank) return fail({*path + " is not the recording of an MPI job, so it has no ranks"}, kExitTool);
    if (options.control_messages) return fail({"--control-messages is for recordings of MPI jobs"}, kExitTool);
    return replay_threads(*path, options);
  }
  RankReplayOptions ranks{options.timeout, options.control_messages, options.rank};
  debug::RankDebugRequest debugger;
  if (!options.automatic) {
    if (!options.rank)
      return fail({*path + " is the recording of an MPI job: --rank=N opens one rank in a debugger, if it was recorded with "
                           "--contents; `anaphora replay -a` replays all from beginning to end"}, kExitTool);
    if (!options.begin.empty()) debugger.begin = parse_event(options.begin);
    if (!options.begin.empty() && (!debugger.begin || debugger.begin->slot != 0))
      return fail({"-g needs a call of MPI, as in -g 0:12: the twelfth that the rank begins"}, kExitUsage);
    debugger.port = options.port;
    debugger.gdb_arguments = gdb_arguments(options);
    debugger.say = say;
    debugger.describe_end = describe_end;
  }
  return replay_mpi(*path, ranks, options.quiet,
                    [&](const std::string& threads) {
    ProgramEnd end;
    end.status = replay_threads(threads, options);
    return end;
  }, options.automatic ? nullptr : &debugger);
}

int replay_threads(const std::string& path, const ReplayArguments& options) {
  auto reader = TraceReader::open(path);
  if (!reader) return fail(reader.error(), kExitTool);
  if (Status s = reader->packed().check(); !s) return fail(s.error(), kExitTool);
  if (Status s = check_replayable(reader->manifest(), reader->packed()); !s) return fail(s.error(), kExitTool);
  if (options.check == "full" && !reader->manifest().tuning.full_check) {
    return fail({"this recording has no hashes of its accesses to compare with; record it with --check=full"}, kExitTool);
  }
  if (!options.references.empty()) {
    if (Status s = check_one_order(reader->manifest()); !s) return fail(s.error(), kExitTool);
  }
  auto host = find_host();
  if (!host) return fail(host.error(), kExitTool);
  if (!reader->has_end() && !options.quiet)
    say("the recorder was killed; the replay goes as far as the recording does");

  ProgressLine line("loading");
  auto schedule = load_schedule(*reader, [&](uint64_t done, uint64_t total) { line.update(done, total); });
  line.clear();
  if (!schedule) return fail(schedule.error(), kExitTool);
  for (const std::string& problem : schedule->problems) say("the order in the trace is impossible: " + problem);
  if (!schedule->problems.empty())
    return fail({fmt::format("{} cannot be replayed; was it changed after it was recorded?", path)}, kExitTool);
  if (!options.references.empty()) {
    Status s = options.by_trap_flag ? follow_instructions(*reader, *schedule) : follow_code(*reader, *schedule);
    if (!s) return fail(s.error(), kExitTool);
  }
  if (!options.automatic) return open_debugger(*reader, *schedule, *host, options);
  ProgressLine going(options.references.empty() ? "replaying" : "tracing references");
  ReplayRequest request{*host, options.timeout, slices_of(options, reader->manifest()), options.references, {}};
  if (!options.quiet) request.progress = [&](uint64_t done, uint64_t all) { going.estimate(done, all); };
  auto outcome = replay(*reader, *schedule, request);
  going.clear();
  if (!outcome) return fail(outcome.error(), kExitTool);
  return judge(*outcome, options, *reader);
}

}  // namespace

Command add_replay(CLI::App& root, const std::vector<std::string>& debugger) {
  CLI::App* app = root.add_subcommand("replay", "Repeat a saved execution");
  auto options = std::make_shared<ReplayArguments>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_flag("-a,--autopilot", options->automatic, "From beginning to end, without a debugger");
  app->add_option("-g,--goto", options->begin, "Open the debugger at event E of thread T")->type_name("T:E");
  app->add_option("-s,--serve", options->port, "Wait for a debugger at this port of this machine instead of starting gdb")
      ->type_name("PORT");
  app->add_option("-x,--command", options->scripts, "Commands for gdb")->type_name("FILE")->allow_extra_args(false);
  app->add_option("-i,--interpreter", options->interpreter, "gdb's interpreter, as in -i=mi")->type_name("NAME");
  app->add_flag("-q,--quiet", options->quiet, "Only the program's own output, and errors");
  app->add_option("-p,--process", options->process, "Replay this child instead (see `anaphora ps`; record --children)")
      ->type_name("PID");
  app->add_option("--check", options->check, "full: insist on comparing every access (for recordings made with --check=full)")
      ->check(CLI::IsMember({"normal", "full"}));
  app->add_option("--lamport", options->lamport,
                  "How traces of Lamport algorithms are enforced: at every event, at traced events only, or only against "
                  "the process of the traced dependence")
      ->check(CLI::IsMember({"every", "traced", "process"}));
  app->add_option("--rank", options->rank,
                  "MPI: only this rank, without a launcher and without the others (for recordings made with --contents)")
      ->type_name("N");
  add_timeout(*app, options->timeout);
  app->add_flag("--control-messages", options->control_messages,
                "MPI jobs recorded with --messages=racing: hold messages that raced back until they are due, so that they "
                "arrive in the recorded order and none waits in a buffer");
  app->add_option("--trace-all", options->references,
                  "Write every reference of the execution to FILE, for `anaphora simulate`")
      ->type_name("FILE");
  // For tests: what a translation of the program's code tells is compared with what the processor stops for.
  app->add_flag("--by-trap-flag", options->by_trap_flag)->group("");
  return {app, [options, &debugger] {
    options->gdb_arguments = debugger;
    return run(*options);
  }};
}

}  // namespace ana
