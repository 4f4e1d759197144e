#include "cli/mpi_jobs.h"

#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "cli/source_lines.h"
#include "trace/elf_file.h"
#include "trace/mpi_program.h"
#include "trace/packed_files.h"
#include "trace/rank_link.h"
#include "trace/trace_directory.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

bool first_rank() {
  auto launcher = launcher_environment();
  return !launcher || launcher->rank.value_or(0) == 0;
}

Result<std::string> make_trace(const MpiRecordArguments& options, const std::string& program, uint32_t ranks) {
  auto destination = choose_destination(options.where, program);
  if (!destination) return destination.error();
  const std::string& trace = destination->trace;
  if (is_trace(trace)) {
    return Error{fmt::format("there is already a trace {}; choose another name, or remove it with `anaphora rm {}`",
                             trace, trace)};
  }
  auto directory = create_trace_directory(trace);
  if (!directory) return directory.error();
  if (!options.quiet) say(fmt::format("saving the execution of {} ranks to {}", ranks, trace));
  if (destination->store) {
    if (Status s = destination->store->set_latest(trace); !s) say(s.error().text);
  }
  return trace;
}

void show_report(const RankReport& report, bool quiet, bool alone) {
  std::string place = describe_address(report.module, report.offset);
  std::string where = fmt::format("rank {}, call {} of MPI, {} at {}", report.rank, report.call_number, report.call,
                                  place.empty() ? "an unknown place" : place);
  if (report.kind == static_cast<uint32_t>(RankReportKind::kEndOfTrace)) {
    if (!quiet) say(where + ": the recording of this rank ends here");
    return;
  }
  if (report.kind == static_cast<uint32_t>(RankReportKind::kUnsupported))
    return say(fmt::format("{}: {}", where, report.text));
  say(fmt::format("{}: {}: the rank has left the recorded path, so {}", where, report.text,
                  alone ? "the replay ends" : "all ranks end"));
}

// Built with anaphora-cc: its threads are recorded, too.
bool is_instrumented(const std::string& path) {
  auto elf = ElfFile::open(path);
  return elf && elf->section("ana_sites");
}

// What goes into the program's process.
Status find_parts(RankRequest& request) {
  bool threads = static_cast<bool>(request.threads.run);
  auto library = threads ? find_mpi_inside(request.mpi) : find_mpi_library(request.mpi);
  if (!library) return library.error();
  request.library = *library;
  if (!threads) return {};
  auto outside = find_mpi_outside(request.mpi);
  if (!outside) return outside.error();
  request.threads.outside = *outside;
  return {};
}

// Where the trace of a rank's threads begins, before anybody knows which rank it is and what the recording is called:
// beside the recording, so that it can be moved there.
Result<std::string> choose_threads_directory(const std::string& where, const std::string& program) {
  auto destination = choose_destination(where, program);
  if (!destination) return destination.error();
  auto parent = std::filesystem::absolute(destination->trace).parent_path();
  uint64_t id = 0;
  if (::getrandom(&id, sizeof id, 0) != sizeof id) id = static_cast<uint64_t>(::getpid());
  return (parent / fmt::format(".anaphora-{:016x}", id)).string();
}

// The launcher ends the job when the first rank fails.
int fail_rank(const Error& error, int status) {
  say(error.text);
  wait_until_read(STDERR_FILENO);
  return status;
}

}  // namespace

int fail_once(const Error& error, int status) {
  if (first_rank()) return fail_rank(error, status);
  // Rank 0 shall have the time to say why.
  ::sleep(2);
  return status;
}

std::string mpi_to_record(const std::string& path) {
  if (std::string mpi = mpi_of_program(path); !mpi.empty()) return mpi;
  auto launcher = launcher_environment();
  auto elf = ElfFile::open(path);
  // A program of ours is a program with threads, even if a launcher starts it; others may load MPI later.
  if (!launcher || (elf && elf->section("ana_sites"))) return "";
  return launcher->mpi;
}

int record_mpi(const std::string& mpi, const std::string& path, const std::vector<std::string>& arguments,
               const MpiRecordArguments& options) {
  if (::access(path.c_str(), X_OK) != 0) return fail_once({path + " is not executable"}, kExitNotExecutable);
  if (Status s = check_launcher(mpi); !s) return fail_once(s.error(), kExitTool);
  std::error_code error;
  RankRequest request{"", mpi, {std::filesystem::absolute(path, error).string()}, "", {}};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  if (is_instrumented(path)) {
    if (options.options.contents) {
      return fail_once({path + " was built with anaphora-cc, and ranks with recorded threads can only be replayed together: "
                               "record without --contents, or build it with the MPI compiler alone"},
                       kExitTool);
    }
    if (mpi == "openmpi" && !ElfFile::open(path)->position_independent()) {
      return fail_once({path + " is not position independent, and so has copies of Open MPI's variables: to record its "
                               "threads, build it without -no-pie and -fno-pic"},
                       kExitTool);
    }
    auto directory = choose_threads_directory(options.where, path);
    if (!directory) return fail_once(directory.error(), kExitTool);
    request.threads.directory = *directory;
    request.threads.run = [&] { return options.record_threads(request.threads.directory); };
  }
  if (Status s = find_parts(request); !s) return fail_once(s.error(), kExitTool);
  auto outcome = record_rank(request, options.options,
                             [&](uint32_t ranks) { return make_trace(options, path, ranks); },
                             [&](const RankReport& report) { show_report(report, options.quiet, false); });
  if (!outcome) return fail_rank(outcome.error(), kExitTool);
  if (!outcome->entered && !options.quiet && first_rank())
    say("the program has not called MPI_Init, so there is nothing to save");
  return outcome->end.exit_code();
}

namespace {

// Whether the rank can be replayed alone.
Status check_alone(const std::string& trace, const MpiManifest& manifest, int directory, uint32_t which) {
  if (launcher_environment()) {
    return Error{fmt::format("--rank replays one rank without the others, so it wants no launcher: `anaphora replay -a "
                             "--rank={} {}`",
                             which, trace)};
  }
  if (which >= manifest.ranks) {
    return Error{manifest.ranks == 1 ? fmt::format("{} has only rank 0", trace)
                                     : fmt::format("{} has the ranks 0 to {}", trace, manifest.ranks - 1)};
  }
  auto rank = read_rank(directory, which);
  if (!rank) return Error{trace + ": " + rank.error().text};
  if (rank->options.contents) return {};
  return Error{fmt::format("{} has no contents of messages, so its ranks can only be replayed together; `anaphora "
                           "record --contents` saves them",
                           trace)};
}

// Did it end as in the recording?
int judge_alone(const RankOutcome& outcome, const std::optional<ProgramEnd>& recorded, bool aborted, bool quiet) {
  // Without an end, the recorder was killed together with the rank.
  int expected = recorded ? recorded->exit_code() : 128 + SIGKILL;
  if (outcome.report && outcome.report->kind != static_cast<uint32_t>(RankReportKind::kEndOfTrace)) return kExitTool;
  // A rank that calls MPI_Abort may be killed by the launcher before it can end itself.
  if (outcome.report) return aborted ? outcome.end.exit_code() : expected;
  int status = outcome.end.exit_code();
  if (status == expected || status == kExitTool) return status;
  if (!quiet && recorded)
    say(fmt::format("the replay ended with {}, the recording with {}", describe_end(outcome.end),
                    describe_end(*recorded)));
  return status;
}

}  // namespace

int replay_mpi(const std::string& trace, const RankReplayOptions& options, bool quiet,
               const ReplayThreads& replay_threads, debug::RankDebugRequest* debugger) {
  auto directory = open_trace_directory(trace);
  if (!directory) return fail_once(directory.error(), kExitTool);
  auto manifest = read_mpi_manifest(directory->get());
  if (!manifest) return fail_once({trace + ": " + manifest.error().text}, kExitTool);
  if (options.rank) {
    if (Status s = check_alone(trace, *manifest, directory->get(), *options.rank); !s)
      return fail_once(s.error(), kExitTool);
  }
  if (options.control_messages && manifest->options.mode != RankMode::kRacing) {
    return fail_once({fmt::format("{} does not say which messages raced, so their sends cannot be held back: record with "
                                  "--messages=racing for --control-messages", trace)},
                     kExitTool);
  }
  auto launcher = launcher_environment();
  std::optional<uint32_t> which = options.rank;
  if (!which && launcher) which = launcher->rank;
  std::optional<ProgramEnd> end;
  bool aborted = false;
  // Ranks of one job may run different programs. Whether the rank has a trace at all is found out in MPI_Init, where
  // it can tell the others.
  std::vector<std::string> command = manifest->command;
  std::string cwd = manifest->cwd;
  ProgramFile recorded = manifest->program;
  if (which && *which < manifest->ranks) {
    if (auto rank = read_rank(directory->get(), *which); rank) {
      end = rank->end;
      aborted = rank->aborted;
      command = rank->command;
      cwd = rank->cwd;
      recorded = rank->program;
    }
  }
  auto packed = PackedFiles::open(trace);
  if (!packed) return fail_once({trace + ": " + packed.error().text}, kExitTool);
  if (Status s = packed->check(); !s) return fail_once(s.error(), kExitTool);
  std::string file = packed->empty() ? command[0] : packed->find(recorded.path);
  auto program = identify_command(file);
  if (!program) return fail_once(program.error(), kExitTool);
  if (program->build_id != recorded.build_id) {
    return fail_once({fmt::format("{} is not the program that was recorded (build id {}, recorded {}): replay needs "
                                  "the same binary",
                                  file, program->build_id, recorded.build_id)},
                     kExitTool);
  }
  std::string mpi = mpi_to_record(file);
  if (mpi.empty()) mpi = manifest->mpi;
  if (Status s = check_launcher(mpi); !s) return fail_once(s.error(), kExitTool);
  RankRequest request{"", mpi, command, cwd, {}, file};
  if (is_instrumented(file)) {
    uint32_t rank = which.value_or(0);
    std::string threads = threads_path(std::filesystem::absolute(trace).string(), rank);
    if (auto reader = TraceReader::open(threads); !reader) {
      request.threads.problem = reader.error().text;
    } else {
      request.threads.run = [&, threads] { return replay_threads(threads); };
    }
  }
  if (debugger != nullptr && is_instrumented(file))
    return fail_once({file + " was built with anaphora-cc; a debugger opens ranks of other programs only. `anaphora replay "
                             "-a` replays it from beginning to end"}, kExitTool);
  if (Status s = find_parts(request); !s) return fail_once(s.error(), kExitTool);
  if (debugger != nullptr) {
    debugger->rank = std::move(request);
    debugger->trace = std::filesystem::absolute(trace).string();
    debugger->number = *options.rank;
    debugger->end = end;
    auto status = debug::debug_rank(*debugger);
    return status ? *status : fail_rank(status.error(), kExitTool);
  }
  auto outcome = replay_rank(request, std::filesystem::absolute(trace).string(), options,
                             [&](const RankReport& report) { show_report(report, quiet, options.rank.has_value()); });
  if (!outcome) return fail_rank(outcome.error(), kExitTool);
  if (outcome->timed_out) {
    return fail_rank({fmt::format("rank {} has not called MPI for {} s, so it was stopped (--timeout changes that)",
                                  outcome->rank, options.timeout_seconds)},
                     kExitTool);
  }
  if (options.rank) return judge_alone(*outcome, end, aborted, quiet);
  if (outcome->hurried != 0 && !quiet) {
    say(fmt::format("rank {}: {} of {} sends that waited for their turn went ahead of it, since it did not come; messages "
                    "may have arrived in another order, and were received in the recorded one",
                    outcome->rank, outcome->hurried, outcome->held));
  }
  return outcome->end.exit_code();
}

}  // namespace ana
