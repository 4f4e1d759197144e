#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace ana {

Command add_trace_command(CLI::App& root, const std::string& name, const std::string& what,
                          int (*run)(const std::string& trace, bool json)) {
  CLI::App* app = root.add_subcommand(name, what);
  auto trace = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  app->add_option("trace", *trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_flag("--json", *json, "As JSON");
  return {app, [trace, json, run] { return run(*trace, *json); }};
}

void add_timeout(CLI::App& app, uint32_t& seconds) {
  app.add_option("--timeout", seconds, "Seconds without progress after which to give up (default 300; 0: never)")
      ->type_name("S");
}

}  // namespace ana
