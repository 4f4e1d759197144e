// anaphora algorithms
#include <memory>

#include "algorithms/catalogue.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace ana {

Command add_algorithms(CLI::App& root) {
  CLI::App* app = root.add_subcommand("algorithms", "List the tracing algorithms");
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "As JSON");
  return {app, [json] {
            nlohmann::json out = nlohmann::json::array();
            for (const algorithms::Entry& e : algorithms::kCatalogue) {
              if (!*json) {
                fmt::print("{:<24} {}\n", e.text, e.description);
                continue;
              }
              out.push_back({{"name", e.text}, {"description", e.description}, {"logs", algorithms::name_of(e.logs)}});
              out.back()["letter"] = e.letter ? nlohmann::json(std::string(1, e.letter)) : nlohmann::json(nullptr);
            }
            if (*json) print_json(out);
            return 0;
          }};
}

}  // namespace ana
