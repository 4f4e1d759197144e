// anaphora view [trace] [-o file]: the execution as a web page.
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/picture_source.h"
#include "trace/trace_store.h"
#include "view/page.h"

namespace ana {

namespace {

struct ViewArguments {
  std::string trace;
  std::string output;
  std::string references;
  size_t bytes = 64;
  bool quiet = false;
};

int run(const ViewArguments& options) {
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  auto page = view::find_template();
  if (!page) return fail(page.error(), kExitFailed);
  auto picture = draw(*path, options.bytes, options.references);
  if (!picture) return fail(picture.error(), kExitFailed);
  std::string output = options.output;
  if (output.empty()) output = std::filesystem::path(*path).filename().string() + ".html";
  ProgressLine line("");
  line.show("writing the page");
  auto bytes = view::write_page(*picture, *page, output);
  line.clear();
  if (!bytes) return fail(bytes.error(), kExitFailed);
  if (!options.quiet)
    say(fmt::format("{} events of {} lanes are in {} ({}); open it with a web browser", human_count(picture->events()),
                    picture->lanes.size(), output, human_bytes(*bytes)));
  return 0;
}

}  // namespace

Command add_view(CLI::App& root) {
  CLI::App* app = root.add_subcommand("view", "Draw the execution as a web page: threads, events, and their order");
  auto options = std::make_shared<ViewArguments>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_option("-o,--output", options->output, "The page (default: the trace's name and .html, in this directory)")
      ->type_name("FILE");
  app->add_option("--bytes", options->bytes, "At most this many bytes of each value (default 64)")->type_name("N");
  app->add_option("--references", options->references,
                  "A file that `replay --trace-all` wrote of this trace: tells false sharing from sharing")
      ->type_name("FILE");
  app->add_flag("-q,--quiet", options->quiet, "Say nothing but errors");
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
