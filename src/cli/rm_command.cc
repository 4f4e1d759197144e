// anaphora rm trace...
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

Status remove(const std::string& what) {
  auto path = find_trace(what);
  if (!path) return path.error();
  // Through the link, the trace itself is meant.
  std::error_code error;
  std::string real = std::filesystem::canonical(*path, error).string();
  if (error) return Error{*path + ": " + error.message()};
  if (Status s = remove_trace(real); !s) return s;
  TraceStore(std::filesystem::path(real).parent_path().string()).repair_latest();
  return {};
}

int run(const std::vector<std::string>& traces, bool all) {
  std::vector<std::string> doomed = traces;
  if (all) {
    auto store = TraceStore::standard();
    if (!store) return fail(store.error(), kExitFailed);
    doomed = store->traces();
  } else if (traces.empty()) {
    return fail({"remove which trace? `anaphora ls` lists them"}, kExitUsage);
  }
  int status = 0;
  for (const std::string& trace : doomed) {
    if (Status s = remove(trace); !s) status = fail(s.error(), kExitFailed);
  }
  return status;
}

}  // namespace

Command add_rm(CLI::App& root) {
  CLI::App* app = root.add_subcommand("rm", "Remove traces");
  auto traces = std::make_shared<std::vector<std::string>>();
  auto all = std::make_shared<bool>(false);
  app->add_option("traces", *traces, "The traces")->type_name("TRACE");
  app->add_flag("--all", *all, "All traces where record saves");
  return {app, [traces, all] { return run(*traces, *all); }};
}

}  // namespace ana
