#include "debug/debug_session.h"

#include <errno.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include <filesystem>
#include <set>

#include "debug/gdb_process.h"
#include "debug/reaper.h"
#include "debug/timeline.h"

namespace ana::debug {

namespace {

constexpr long kOptions = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

std::vector<std::string> gdb_command(const TraceReader& reader, const DebugRequest& request, const std::string& address) {
  std::vector<std::string> command = {"gdb", "-q", "-iex", "set sysroot", "-iex", "set exec-file-mismatch off"};
  std::set<std::string> directories;
  for (const PackedFile& file : reader.packed().files())
    directories.insert(std::filesystem::path(reader.packed().find(file.path)).parent_path().string());
  if (!directories.empty()) {
    command.insert(command.end(), {"-iex", fmt::format("set solib-search-path {}", fmt::join(directories, ":"))});
  }
  command.insert(command.end(), {"-ex", "source " + words_file(std::filesystem::path(request.host).parent_path()), "-ex",
                                 "target remote " + address});
  command.insert(command.end(), request.gdb_arguments.begin(), request.gdb_arguments.end());
  command.push_back(reader.program_file());
  return command;
}

Status seize(pid_t pid) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, kOptions) == 0) return {};
  return Error{fmt::format("cannot trace the replayed program ({}); in a container, ptrace must be allowed", strerror(errno))};
}

// Why the end of the recording is what the user wants to see first; null if it is not.
const char* place_to_open(const Manifest& manifest) {
  if (is_crash(recorded_end(manifest))) return "at the crash";
  bool hung = manifest.end && manifest.end->report &&
              manifest.end->report->kind == static_cast<uint32_t>(ReportKind::kTimeReached);
  return hung ? "where the program hung" : nullptr;
}

}  // namespace

Result<int> debug_replay(const TraceReader& reader, const Schedule& schedule, const DebugRequest& request) {
  auto session = SharedSession::create(Mode::kReplay);
  if (!session) return session.error();
  if (Status s = prepare_session(reader, request.slices, *session); !s) return s.error();
  session->header().debug.enabled = session->header().debug.serial = 1;
  session->header().debug.stop_slot = kNoSlot;
  Door door;
  if (Status s = door.open(request.port); !s) return s.error();

  reaper();  // before there are children
  // ^C is gdb's business.
  for (int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
  HostCommand command{request.host, Mode::kReplay, session->fd(), schedule.file.get(), reader.manifest().cwd, {}, {},
                      seize};
  auto kept = open_kept_files(reader, schedule);
  if (!kept) return kept.error();
  hand_over(*kept, schedule, session->header(), command);
  auto printed = open_printed(reader);
  if (!printed) return printed.error();
  hand_over(*printed, session->header(), command);
  auto host = HostProcess::start(command);
  if (!host) return host.error();
  Connection connection;
  auto first = Replica::adopt(host->pid(), connection);
  if (!first) return first.error();
  Timeline timeline(std::move(*first));
  Server server(timeline, connection, request.texts);
  if (request.begin) server.start_at(timeline.seek(request.begin->slot, request.begin->count));
  else if (const char* place = place_to_open(reader.manifest())) {
    server.start_at(timeline.go_on());
    request.say(fmt::format("the debugger opens {}; -g 0:0 opens it at the beginning", place));
  }

  auto gdb = gdb_command(reader, request, door.address());
  return serve_gdb(server, connection, door, gdb, request.port.has_value(), request.say);
}

}  // namespace ana::debug
