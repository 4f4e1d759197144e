// anaphora: the command line tool.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "trace/version.h"

namespace {

int run(std::vector<std::string> arguments) {
  CLI::App root("Anaphora records multi-threaded programs and MPI jobs, and replays them exactly.", "anaphora");
  root.set_version_flag("--version", std::string("anaphora ") + ana::kToolVersion);
  root.footer("`anaphora help COMMAND` shows the options of one of them.");
  root.require_subcommand(1);
  std::vector<std::string> program, debugger;
  ana::Command record = ana::add_record(root, program);
  ana::Command commands[] = {record,
                             ana::add_replay(root, debugger),
                             ana::add_stats(root),
                             ana::add_dump(root),
                             ana::add_ls(root),
                             ana::add_ps(root),
                             ana::add_rm(root),
                             ana::add_verify(root),
                             ana::add_pack(root),
                             ana::add_races(root),
                             ana::add_deps(root),
                             ana::add_why(root),
                             ana::add_view(root),
                             ana::add_export(root),
                             ana::add_doctor(root),
                             ana::add_simulate(root),
                             ana::add_algorithms(root),
                             ana::add_version(root)};
  if (!arguments.empty() && arguments[0] == "help") {  // as --help, of all or of one
    arguments.erase(arguments.begin());
    arguments.resize(std::min<size_t>(arguments.size(), 1));
    arguments.push_back("--help");
  }
  auto is_named = [&](const ana::Command& command) { return command.app->get_name() == arguments[0]; };
  bool looks_like_command = !arguments.empty() && !arguments[0].starts_with('-');
  if (looks_like_command && std::none_of(std::begin(commands), std::end(commands), is_named)) {
    return ana::fail({"there is no command " + arguments[0] + "; `anaphora help` lists them"}, ana::kExitUsage);
  }
  // What follows the program's name is the program's, even if it looks like an option of ours.
  if (!arguments.empty() && arguments[0] == "record") {
    auto at = arguments.begin() + static_cast<ptrdiff_t>(ana::find_program(arguments, *record.app));
    program.assign(at, arguments.end());
    if (!program.empty() && program[0] == "--") program.erase(program.begin());
    arguments.erase(at, arguments.end());
  }
  if (!arguments.empty() && arguments[0] == "replay") {
    auto at = std::find(arguments.begin(), arguments.end(), "--");
    if (at != arguments.end()) debugger.assign(at + 1, arguments.end());
    arguments.erase(at, arguments.end());
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    root.parse(arguments);
  } catch (const CLI::ParseError& e) {
    return root.exit(e) == 0 ? 0 : ana::kExitUsage;
  }
  for (const ana::Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return ana::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) try {
  // Of a file that is too large for `ulimit -f` the write shall fail, so that it can be reported. A handler instead of
  // SIG_IGN: the program does not inherit it.
  if (::signal(SIGXFSZ, [](int) {}) == SIG_IGN) ::signal(SIGXFSZ, SIG_IGN);
  return run({argv + 1, argv + argc});
} catch (const std::exception& e) {
  return ana::fail({e.what()}, ana::kExitTool);
}
