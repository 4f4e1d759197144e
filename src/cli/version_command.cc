// anaphora version
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "trace/session.h"
#include "trace/version.h"

namespace ana {

Command add_version(CLI::App& root) {
  CLI::App* app = root.add_subcommand("version", "Print the version");
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "As JSON");
  return {app, [json] {
            if (*json) {
              print_json({{"version", kToolVersion}, {"format", kTraceFormat}, {"streams", kStreamVersion}});
            } else {
              fmt::print("anaphora {} (traces of format {}.{})\n", kToolVersion, kTraceFormat, kStreamVersion);
            }
            return 0;
          }};
}

}  // namespace ana
