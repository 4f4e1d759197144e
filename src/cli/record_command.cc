// anaphora record [options] program [arguments]
#include <fmt/ranges.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <filesystem>
#include <memory>
#include <random>

#include "algorithms/catalogue.h"
#include "cli/commands.h"
#include "cli/mpi_jobs.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "trace/child_traces.h"
#include "trace/elf_file.h"
#include "trace/host_process.h"
#include "trace/needed_libraries.h"
#include "trace/record_session.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

constexpr const char* kAnySeed = "any";
constexpr uint32_t kMpiDelay = 300, kLongestMpiDelay = 1000000;  // microseconds

struct RecordArguments {
  std::string where;
  RecordTuning tuning;
  uint64_t until_failure = 0;  // 0: record once
  bool only_failures = false;  // --keep=on-failure
  uint64_t max_bytes = 0;
  uint32_t timeout = 0;        // seconds; 0: none
  bool quiet = false;
  bool children = false;
  bool progress = false;
  std::string chaos;           // a number, or kAnySeed; empty: none
  RankOptions ranks{.mode = RankMode::kAuto};  // of an MPI job
  bool mode_chosen = false;    // --messages
};

// As the shell does it. Empty: not found.
std::string search_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), F_OK) == 0 ? program : "";
  const char* path = ::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (size_t at = 0; at <= rest.size();) {
    size_t end = std::min(rest.find(':', at), rest.size());
    std::string candidate = (end == at ? "." : rest.substr(at, end - at)) + "/" + program;
    struct stat info;
    if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    at = end + 1;
  }
  return "";
}

std::string is_algorithm(const std::string& name) {
  if (algorithms::find_algorithm(name.c_str())) return "";
  return "there is no algorithm '" + name + "'; `anaphora algorithms` lists them";
}

std::string is_granularity(const std::string& text) {
  char* end = nullptr;
  uint64_t bytes = strtoull(text.c_str(), &end, 10);
  if (*end == 0 && std::has_single_bit(bytes) && bytes <= 4096) return "";
  return "the granularity must be a power of two from 1 to 4096, not " + text;
}

std::string is_seed(const std::string& text) {
  bool is_number = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
  return text == kAnySeed || is_number ? "" : "--chaos takes a number, not " + text;
}

// Never 0. Short enough to be typed again.
uint64_t seed_of(const std::string& chaos) {
  uint64_t seed = chaos == kAnySeed ? std::random_device()() : strtoull(chaos.c_str(), nullptr, 10);
  return seed == 0 ? 1 : seed;
}

// 0 if the program can be recorded, else the exit status.
int check_program(const std::string& path, const RecordTuning& tuning, bool quiet) {
  if (::access(path.c_str(), X_OK) != 0) return fail({path + " is not executable"}, kExitNotExecutable);
  auto elf = ElfFile::open(path);
  if (!elf) {
    return fail({elf.error().text + "; a script cannot be recorded, the program that it runs can"}, kExitNotExecutable);
  }
  if (!quiet && !elf->section("ana_sites")) {
    say(path + " was not built with anaphora-cc: the order of its threads' memory accesses is not recorded");
  }
  if (tuning.algorithm != "ownership" && !elf->section("ana_every_access")) {
    return fail({path + " was not compiled with `anaphora-cc --every-access`, which recording with an algorithm needs"},
                kExitTool);
  }
  return 0;
}

class Recorder {
 public:
  Recorder(const RecordArguments& options, const std::vector<std::string>& program)
      : options_(options), arguments_(program) {}

  int run() {
    if (arguments_.empty())
      return fail({"record what? Usage: anaphora record [OPTIONS] PROGRAM [ARGUMENTS]"}, kExitUsage);
    std::string path = search_path(arguments_[0]);
    if (path.empty()) return fail({arguments_[0] + ": not found"}, kExitNotFound);
    if (std::string mpi = mpi_to_record(path); !mpi.empty()) return record_ranks(mpi, path);
    if (int status = check_program(path, options_.tuning, options_.quiet)) return status;
    auto host = find_host();
    if (!host) return fail(host.error(), kExitTool);
    request_ = {*host, "", path, {arguments_.begin() + 1, arguments_.end()}, options_.tuning,
                options_.max_bytes, options_.timeout, options_.only_failures || options_.until_failure != 0};
    request_.runs_once = options_.until_failure == 0;
    if (!options_.chaos.empty()) request_.tuning.chaos = seed_of(options_.chaos);
    if (options_.progress) request_.progress = [this](const RecordProgress& progress) { show(progress); };
    return options_.until_failure == 0 ? once() : until_failure();
  }

 private:
  struct Run {
    Destination destination;
    Manifest manifest;
    bool interrupted, timed_out, has_printed;
  };

  // Executed by a recorded program, which waits for this process instead of the program.
  bool is_child() const { return !options_.children && !request_.children.empty(); }

  // Of a forked child that executes this program, a trace may have been begun since the name was chosen.
  Result<RecordSession> create_session(Destination& destination) {
    constexpr int kMostNames = 100;
    std::string name = destination.trace;
    for (int n = 2;; n++) {
      auto session = RecordSession::create(request_);
      if (session || !is_child() || n > kMostNames || !std::filesystem::exists(request_.directory)) return session;
      destination.trace = request_.directory = fmt::format("{}-{}", name, n);
    }
  }

  Result<Run> record(bool announce) {
    auto destination = choose_destination(options_.where, request_.program);
    if (!destination) return destination.error();
    request_.directory = destination->trace;
    request_.children = options_.children ? children_directory(request_.directory) : inherited_children(request_.directory);
    auto session = create_session(*destination);
    if (!session) {
      if (is_trace(request_.directory)) {
        return Error{fmt::format("there is already a trace {}; choose another name, or remove it with `anaphora rm {}`",
                                 request_.directory, request_.directory)};
      }
      return session.error();
    }
    if (announce) {
      if (!options_.quiet) say("saving execution to " + request_.directory);
      if (destination->store) link(*destination);
    }
    if (options_.children) {
      if (Status s = prepare_children(request_.directory); !s) return s.error();
    }
    auto manifest = session->run();
    line_.clear();
    bool nothing = !session->started() || (manifest.ok() && could_not_start(*manifest));
    if (nothing) forget(*destination);
    if (!manifest) return manifest.error();
    if (nothing) return Error{describe(*manifest, request_.directory)};
    for (const std::string& warning : session->warnings()) say(warning);
    if (size_t n = session->living_children(); n != 0 && !options_.quiet)
      say(fmt::format("{} that it forked {} on, recorded further", n == 1 ? "a process" : fmt::format("{} processes", n),
                      n == 1 ? "lives" : "live"));
    return Run{*destination, *manifest, session->interrupted(), session->timed_out(), session->has_printed()};
  }

  void show(const RecordProgress& progress) {
    line_.show(fmt::format("recording {} {}, {} events, {} of trace, {:.0f} s", progress.threads,
                           progress.threads == 1 ? "thread" : "threads", human_count(progress.events),
                           human_bytes(progress.trace_bytes), progress.seconds));
  }

  static bool could_not_start(const Manifest& m) {
    return m.end && m.end->report && m.end->report->kind == static_cast<uint32_t>(ReportKind::kCannotStart);
  }

  static bool has_failed(const ProgramEnd& end) { return end.exit_code() != 0 || end.report; }

  static std::string describe(const Manifest& m, const std::string& trace) {
    auto reader = TraceReader::open(trace);  // which knows the libraries as well
    SiteResolver sites = reader ? SiteResolver(*reader) : SiteResolver(m.program.path);
    return describe_report(*m.end->report, m.slots, sites);
  }

  std::string describe_processes(const Run& run) const {
    uint64_t others = run.manifest.end->processes_created;
    size_t children = child_names(run.destination.trace).size();
    std::string what = fmt::format("it started {} other {}", others, others == 1 ? "process" : "processes");
    if (children == 0)
      return fmt::format("{}, not recorded; a replay does not run them again{} (--children records them)", what,
                         run.has_printed ? ", but shows what they printed" : "");
    return fmt::format("{}; {} recorded (`anaphora ps {}` lists them)", what, children, run.destination.trace);
  }

  static void warn_of_unseen(const std::string& program) {
    std::vector<std::string> libraries = unseen_libraries(program);
    if (libraries.empty()) return;
    say(fmt::format("not built with anaphora-cc: {}. Memory that threads share through {} own code is in no order, and a "
                    "replay may differ",
                    fmt::join(libraries, ", "), libraries.size() == 1 ? "its" : "their"));
  }

  static void link(const Destination& destination) {
    if (Status s = destination.store->set_latest(destination.trace); !s) say(s.error().text);
  }

  static void forget(const Destination& destination) {
    if (Status s = remove_trace(destination.trace); !s) say(s.error().text);
    if (destination.store) destination.store->repair_latest();
  }

  int record_ranks(const std::string& mpi, const std::string& path) {
    if (options_.until_failure != 0 || options_.only_failures)
      return fail_once({"--until-failure and --keep do not work inside an MPI job, whose ranks have one recording; "
                        "repeat the whole job, or remove its recording"}, kExitUsage);
    if (options_.max_bytes != 0)
      return fail_once({"--max-size does not work inside an MPI job: one rank cannot be stopped alone"}, kExitUsage);
    if (options_.timeout != 0)
      return fail_once({"--timeout does not work inside an MPI job: one rank cannot be ended alone"}, kExitUsage);
    MpiRecordArguments arguments{options_.where, options_.quiet, options_.ranks, {}};
    arguments.record_threads = [&](const std::string& directory) { return record_threads(path, directory); };
    arguments.options.full_check = options_.tuning.full_check;
    if (!options_.chaos.empty()) arguments.options.chaos = mpi_delay();
    if (arguments.options.race_graph && !options_.mode_chosen) arguments.options.mode = RankMode::kRacing;
    if (arguments.options.race_graph && arguments.options.mode != RankMode::kRacing)
      return fail_once({"--race-graph needs the timestamps of --messages=racing: leave --messages out"}, kExitUsage);
    return record_mpi(mpi, path, {arguments_.begin() + 1, arguments_.end()}, arguments);
  }

  uint32_t mpi_delay() const {
    if (options_.chaos == kAnySeed) return kMpiDelay;
    return static_cast<uint32_t>(std::min<uint64_t>(seed_of(options_.chaos), kLongestMpiDelay));
  }

  // Of a rank.
  ProgramEnd record_threads(const std::string& path, const std::string& directory) {
    ProgramEnd failed;
    failed.status = check_program(path, options_.tuning, true);
    if (failed.status != 0) return failed;
    failed.status = kExitTool;
    auto host = find_host();
    if (!host) return fail(host.error(), kExitTool), failed;
    auto session = RecordSession::create({*host, directory, path, {arguments_.begin() + 1, arguments_.end()},
                                          options_.tuning});
    if (!session) return fail(session.error(), kExitTool), failed;
    auto manifest = session->run();
    if (!manifest) return fail(manifest.error(), kExitTool), failed;
    for (const std::string& warning : session->warnings()) say(warning);
    if (manifest->end->report) say(describe(*manifest, directory));
    return *manifest->end;
  }

  int once() {
    auto run = record(!options_.only_failures);
    if (!run) return fail(run.error(), kExitTool);
    const ProgramEnd& end = *run->manifest.end;
    if (end.report) say(describe(run->manifest, run->destination.trace));
    if (!options_.quiet && end.processes_created != 0) say(describe_processes(*run));
    if (!options_.quiet && end.threads_created > 0) warn_of_unseen(request_.program);
    if (!options_.quiet && end.executed) say("it became another program (exec); the recording ends there");
    if (options_.only_failures && !has_failed(end)) {
      forget(run->destination);
      if (!options_.quiet) say("the program did not fail; nothing is kept");
    } else if (options_.only_failures) {
      keep(*run, "the program" + describe_cut(*run));
    }
    if (is_child() && end.signal != 0) die_of(end.signal);
    return status_of(*run);
  }

  int until_failure() {
    ProgressLine line("");
    SignalRelay relay;  // also between the runs: what has been begun is removed
    for (uint64_t i = 1; i <= options_.until_failure; i++) {
      if (int signal = SignalRelay::ender()) return stopped_between_runs(i - 1, signal);
      line.show(fmt::format("run {} of at most {}", i, options_.until_failure));
      if (i > 1 && request_.tuning.chaos != 0) ++request_.tuning.chaos;
      auto run = record(false);
      line.clear();
      if (!run) return fail(run.error(), kExitTool);
      const ProgramEnd& end = *run->manifest.end;
      if (!has_failed(end) && !run->interrupted) {
        longest_ = std::max(longest_, end.wall_seconds);
        forget(run->destination);
        continue;
      }
      if (end.report) say(describe(run->manifest, run->destination.trace));
      std::string chaos = request_.tuning.chaos == 0 ? "" : fmt::format(" (--chaos={})", request_.tuning.chaos);
      // A program that hangs is interrupted by its user: that is worth keeping, too.
      keep(*run, fmt::format("run {}{}{}", i, chaos, describe_cut(*run)));
      return has_failed(end) ? status_of(*run) : 128 + SignalRelay::ender();
    }
    say(fmt::format("{} runs, none of them failed; nothing is kept", options_.until_failure));
    return 0;
  }

  // Of a run that did not end by itself: how long it took, so that one that hung is told from one that was just going on.
  std::string describe_cut(const Run& run) const {
    if (!run.interrupted && !run.timed_out) return "";
    std::string others = longest_ == 0 ? "" : fmt::format(" (those before took {} at most)", human_seconds(longest_));
    return fmt::format(", {} after {}{},", run.timed_out ? "ended by --timeout" : "interrupted",
                       human_seconds(run.manifest.end->wall_seconds), others);
  }

  // A program that was ended because it took too long has failed, whatever it says.
  static int status_of(const Run& run) {
    int status = run.manifest.end->exit_code();
    return run.timed_out && status == 0 ? kExitTimeout : status;
  }

  static int stopped_between_runs(uint64_t runs, int signal) {
    say(fmt::format("stopped by signal {} after {} {}, none of them failed; nothing is kept", signal, runs,
                    runs == 1 ? "run" : "runs"));
    return 128 + signal;
  }

  // A run that has not been announced.
  static void keep(const Run& run, const std::string& which) {
    const std::string& trace = run.destination.trace;
    if (run.destination.store) link(run.destination);
    say(fmt::format("{} ended with {}; saved in {}; `anaphora replay -a {}` repeats it", which,
                    describe_end(*run.manifest.end), trace, trace));
  }

  const RecordArguments& options_;
  const std::vector<std::string>& arguments_;
  RecordRequest request_;
  double longest_ = 0;  // seconds, of the runs that did not fail
  ProgressLine line_{""};  // of --progress
};

}  // namespace

size_t find_program(const std::vector<std::string>& arguments, const CLI::App& record) {
  for (size_t i = 1; i < arguments.size(); i++) {
    const std::string& word = arguments[i];
    if (word == "--" || word.size() < 2 || word[0] != '-') return i;
    bool is_long = word[1] == '-';
    std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option* option = record.get_option_no_throw(name);
    bool has_value = is_long ? name.size() < word.size() : word.size() > 2;
    if (option != nullptr && option->get_items_expected_min() > 0 && !has_value) i++;
  }
  return arguments.size();
}

Command add_record(CLI::App& root, const std::vector<std::string>& program) {
  CLI::App* app = root.add_subcommand("record", "Run a program and save its execution");
  auto options = std::make_shared<RecordArguments>();
  // For the help only: main() keeps these words from the parser.
  app->add_option("program", "The program and its arguments; the options of record come before it")
      ->type_name("PROGRAM...");
  app->add_option("-o,--output-trace-dir", options->where,
                  "Where to save: a new trace's path or name, or an existing directory for traces")
      ->type_name("DIR|NAME");
  app->add_flag("-q,--quiet", options->quiet, "Do not say where the execution is saved");
  app->add_flag("--progress", options->progress,
                "On a terminal: a line that tells how many threads, events and bytes there are");
  app->add_option("--tenure", options->tuning.tenure_ns,
                  "Nanoseconds for which a thread keeps a word that threads fight over (default 8000)")
      ->type_name("NS")
      ->check(CLI::Range(0, 1000000000));
  app->add_option("--algorithm", options->tuning.algorithm,
                  "Trace with this algorithm instead of ownership; for programs built with --every-access (see "
                  "`anaphora algorithms`)")
      ->check(CLI::Validator(is_algorithm, "NAME"));
  app->add_option("--granularity", options->tuning.granularity,
                  "Bytes that an algorithm keeps one history for, a power of two from 1 to 4096 (8)")
      ->check(CLI::Validator(is_granularity, "BYTES"));
  app->add_option("--max-threads", options->tuning.max_threads, "Threads at once that an algorithm has room for (64)")
      ->check(CLI::Range(1u, kMaxSlots));
  app->add_option("--yield-at-checks", options->tuning.yield_at_checks,
                  "Let others in at every N-th slow check, so that rare races happen (0: never); see --chaos")
      ->type_name("N");
  app->add_option_function<std::string>(
         "--check", [options](const std::string& how) { options->tuning.full_check = how == "full"; },
         "normal; or full: replays compare every checked access, which makes both slow")
      ->check(CLI::IsMember({"normal", "full"}));
  app->add_flag("--no-patch", options->tuning.no_patch,
                "Catch every system call by a signal; else those of known shapes are patched, which is faster");
  app->add_flag("--children", options->children,
                "Record the processes that it forks, and the programs built with anaphora-cc that it executes, each in a trace of its own");
  app->add_flag("--chaos{any}", options->chaos,
                "Delay threads at random, so that rare schedules happen; =N: the seed (another in each run of "
                "--until-failure). MPI: delay its calls instead, by up to =N microseconds")
      ->check(CLI::Validator(is_seed, "N"));
  app->add_flag("--until-failure{1000000}", options->until_failure,
                "Record again and again, at most =MAX times, until a run fails; keep only that one")
      ->check(CLI::PositiveNumber);
  app->add_option_function<std::string>(
         "--keep", [options](const std::string& what) { options->only_failures = what == "on-failure"; },
         "always; or on-failure: only if the program exits with another status than 0 or dies of a signal")
      ->check(CLI::IsMember({"always", "on-failure"}));
  app->add_option("--max-size", options->max_bytes,
                  "Stop the program when the trace has this size: bytes, or with K, M, G, T behind")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
  app->add_option("--timeout", options->timeout,
                  "Seconds after which a run has failed because it hangs: it is interrupted and kept (0: never)")
      ->type_name("S");
  app->add_option_function<std::string>(
         "--messages", [options](const std::string& mode) {
           options->ranks.mode = parse_rank_mode(mode).value_or(RankMode::kAuto);
           options->mode_chosen = true;
         },
         "MPI: which receives are saved: all, wildcard (those of any source), racing (those that could have got another "
         "message), or auto, which begins as wildcard and tries racing where they are many (default)")
      ->check(CLI::IsMember({"all", "wildcard", "racing", "auto"}));
  app->add_option("--racing-after", options->ranks.racing_after,
                  "MPI: in mode auto, receives from any source after which a rank tries racing (1048576)")
      ->type_name("N")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  app->add_flag("--race-graph", options->ranks.race_graph,
                "MPI: also save what decides which messages race, for `anaphora stats --optimal`; in mode racing");
  app->add_flag("--contents", options->ranks.contents,
                "MPI: save what each rank gets, too, so that `replay --rank=N` can replay one without the others");
  app->add_option("--first-epoch", options->tuning.first_epoch)->group("");
  return {app, [options, &program] { return Recorder(*options, program).run(); }};
}

}  // namespace ana
