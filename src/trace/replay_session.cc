#include "trace/replay_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <chrono>

#include "trace/record_session.h"

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kPollMilliseconds = 20;

// Changes whenever a slot does anything that can be seen from outside.
uint64_t progress_of(SharedSession& session) {
  uint64_t sum = 0;
  uint32_t used = session.slots_used();
  for (uint32_t i = 0; i < used; i++) {
    SlotShared& slot = session.slot(i);
    const SlotStatus& s = slot.status;
    for (uint64_t part : {__atomic_load_n(&slot.count, __ATOMIC_RELAXED), slot.head, s.edges, s.values, s.waits,
                          s.slow_checks, uint64_t{s.state}}) {
      sum = (sum + part) * 0x9e3779b97f4a7c15ull;
    }
  }
  return sum + used;
}

// The host's end, or nothing if it had to be stopped for lack of progress.
std::optional<HostExit> watch(HostProcess& host, SharedSession& session, uint32_t timeout_seconds) {
  uint64_t progress = 0;
  auto moved = Clock::now();
  for (;;) {
    if (auto exit = host.poll()) return exit;
    uint64_t now = progress_of(session);
    if (now != progress) {
      progress = now;
      moved = Clock::now();
    } else if (timeout_seconds != 0 && Clock::now() - moved > std::chrono::seconds(timeout_seconds)) {
      return std::nullopt;
    }
    session.wait_for_doorbell(__atomic_load_n(&session.header().doorbell, __ATOMIC_RELAXED), kPollMilliseconds);
  }
}

}  // namespace

Status check_replayable(const Manifest& manifest) {
  auto program = identify_program(manifest.program.path);
  if (!program) {
    return Error{fmt::format("{}; replay needs the program that was recorded, at its place", program.error().text)};
  }
  if (program->build_id != manifest.program.build_id) {
    return Error{
        fmt::format("{} has changed since it was recorded (it was {}, now it is {}); put the old one back, or "
                    "record again",
                    manifest.program.path, manifest.program.build_id, program->build_id)};
  }
  auto missing = missing_features(manifest.machine, this_machine());
  if (!missing.empty()) {
    return Error{
        fmt::format("this processor lacks {}, which the recording one ({}) had; replay on a machine of that kind",
                    fmt::join(missing, ", "), manifest.machine.cpu)};
  }
  return {};
}

ProgramEnd recorded_end(const Manifest& manifest) {
  if (manifest.end) return *manifest.end;
  ProgramEnd killed;
  killed.signal = SIGKILL;
  return killed;
}

Result<ReplayOutcome> replay(const TraceReader& reader, const Schedule& schedule, const ReplayRequest& request) {
  auto session = SharedSession::create(Mode::kReplay);
  if (!session) return session.error();
  if (Status s = session->set_tuning(reader.manifest().tuning); !s) return s.error();
  ReplayOutcome outcome;
  outcome.expected = recorded_end(reader.manifest());
  SessionHeader& header = session->header();
  header.slices = static_cast<uint32_t>(request.slices);
  header.end_signal = static_cast<uint32_t>(outcome.expected.signal);
  header.end_status = static_cast<uint32_t>(outcome.expected.status);

  SignalRelay relay;
  HostCommand command{request.host, Mode::kReplay, session->fd(), schedule.file.get(), reader.manifest().cwd, {}};
  auto start = Clock::now();
  auto host = HostProcess::start(command);
  if (!host) return host.error();
  relay.set_target(host->pid());
  auto exit = watch(*host, *session, request.timeout_seconds);
  outcome.timed_out = !exit;
  // Before the program is stopped: what it was doing is what the user wants to know.
  outcome.slots = session->summaries();
  outcome.end = (exit ? *exit : host->stop()).to_end();
  outcome.end.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.interrupted = SignalRelay::interrupted();
  outcome.report = session->report();
  return outcome;
}

}  // namespace ana
