// anaphora export --perfetto [trace] [-o file]: the execution for other programs that show traces.
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/picture_source.h"
#include "trace/trace_store.h"
#include "view/page.h"
#include "view/perfetto.h"

namespace ana {

namespace {

struct ExportArguments {
  std::string trace;
  std::string output;
  size_t bytes = 64;
  bool perfetto = false;
  bool quiet = false;
};

int run(const ExportArguments& options) {
  if (!options.perfetto)
    return fail({"export as what? `anaphora export --perfetto` writes a trace for Perfetto"}, kExitUsage);
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  auto picture = draw(*path, options.bytes);
  if (!picture) return fail(picture.error(), kExitFailed);
  std::string output = options.output;
  if (output.empty()) output = std::filesystem::path(*path).filename().string() + ".perfetto.json";
  ProgressLine line("");
  line.show("writing");
  std::string text = view::to_perfetto(*picture);
  Status written = view::write_private_file(output, text);
  line.clear();
  if (!written) return fail(written.error(), kExitFailed);
  if (!options.quiet)
    say(fmt::format("{} events are in {} ({}); open it with Perfetto's viewer or about:tracing",
                    human_count(picture->events()), output, human_bytes(text.size())));
  return 0;
}

}  // namespace

Command add_export(CLI::App& root) {
  CLI::App* app = root.add_subcommand("export", "Write the execution in a format of other tools");
  auto options = std::make_shared<ExportArguments>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_flag("--perfetto", options->perfetto,
                "For Perfetto and Chrome: slices for events, flows for what came after what");
  app->add_option("-o,--output", options->output,
                  "The file (default: the trace's name and .perfetto.json, in this directory)")
      ->type_name("FILE");
  app->add_option("--bytes", options->bytes, "At most this many bytes of each value (default 64)")->type_name("N");
  app->add_flag("-q,--quiet", options->quiet, "Say nothing but errors");
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
