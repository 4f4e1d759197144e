// The subcommands of `anaphora`. Each add_ function declares the options of one and returns what runs it once the
// command line has been parsed; the number it returns is the exit status of the tool.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace ana {

// The tool's own failures. `record` and `replay` otherwise exit with the status of the program, so theirs is one that
// programs rarely use; the others follow `env` and `timeout`.
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitTimeout = 124;
constexpr int kExitTool = 125;
constexpr int kExitNotExecutable = 126;
constexpr int kExitNotFound = 127;

struct Command {
  CLI::App* app;
  std::function<int()> run;
};

// A subcommand that takes a trace, the latest if none is named, and --json.
Command add_trace_command(CLI::App& root, const std::string& name, const std::string& what,
                          int (*run)(const std::string& trace, bool json));

// --timeout of a replay.
void add_timeout(CLI::App& app, uint32_t& seconds);

// `program` is the command to record, which main() has taken off the command line.
Command add_record(CLI::App& root, const std::vector<std::string>& program);
// `debugger` are the arguments for gdb, which main() has taken off the command line.
Command add_replay(CLI::App& root, const std::vector<std::string>& debugger);
Command add_stats(CLI::App& root);
Command add_dump(CLI::App& root);
Command add_ls(CLI::App& root);
Command add_ps(CLI::App& root);
Command add_rm(CLI::App& root);
Command add_verify(CLI::App& root);
Command add_pack(CLI::App& root);
Command add_races(CLI::App& root);
Command add_deps(CLI::App& root);
Command add_why(CLI::App& root);
Command add_view(CLI::App& root);
Command add_export(CLI::App& root);
Command add_doctor(CLI::App& root);
Command add_simulate(CLI::App& root);
Command add_algorithms(CLI::App& root);
Command add_version(CLI::App& root);

// Where the program to record begins in `arguments`, which start with "record". Options after it are the program's own.
size_t find_program(const std::vector<std::string>& arguments, const CLI::App& record);

}  // namespace ana
