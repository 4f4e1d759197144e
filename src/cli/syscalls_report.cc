#include "cli/syscalls_report.h"

#include <map>
#include <sstream>

#include "cli/command_output.h"
#include "cli/commands.h"
#include "cli/op_names.h"
#include "cli/output.h"
#include "cli/syscall_hints.h"
#include "trace/host_process.h"

namespace ana {

namespace {

struct Listed {
  uint64_t number = 0;
  std::string name, how, note;
};

// A line of the host's: number, how, and perhaps a note.
Listed parse(const std::string& line) {
  Listed call;
  std::istringstream words(line);
  words >> call.number >> call.how >> std::ws;
  std::getline(words, call.note);
  call.name = syscall_name(call.number);
  if (call.how == "refused") call.note = syscall_hint(call.number);
  return call;
}

}  // namespace

int report_syscalls(bool json) {
  auto host = find_host();
  if (!host) return fail(host.error(), kExitFailed);
  std::istringstream lines(output_of({*host, "syscalls"}));
  nlohmann::json all = nlohmann::json::array();
  std::map<std::string, int> totals;
  for (std::string line; std::getline(lines, line);) {
    Listed call = parse(line);
    if (!is_syscall(call.number)) continue;
    totals[call.how]++;
    all.push_back({{"number", call.number}, {"name", call.name}, {"how", call.how}, {"note", call.note}});
    if (!json) fmt::print("{:>3} {:<24} {:<12} {}\n", call.number, call.name, call.how, call.note);
  }
  if (all.empty()) return fail(Error{*host + " does not list its system calls: install Anaphora again"}, kExitFailed);
  if (json) {
    print_json(all);
    return 0;
  }
  fmt::print("\n");
  for (const auto& [how, count] : totals) fmt::print("{:>3} {}\n", count, how);
  fmt::print("re-executed: runs in record and in replay; logged: runs in record, replay takes its result and what it\n"
             "wrote from the trace; answered: does not run; refused: ends the recording with a message\n");
  return 0;
}

}  // namespace ana
