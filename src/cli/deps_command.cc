// anaphora deps [trace]: the dependences between threads, for other programs to read.
#include <errno.h>

#include <cstdio>
#include <memory>

#include "analysis/dependences.h"
#include "cli/commands.h"
#include "cli/memory_names.h"
#include "cli/output.h"
#include "cli/told_replay.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

using dependences::Dependence;
using dependences::Dependences;
using dependences::Reference;

constexpr const char* kKinds[] = {"raw", "waw", "war"};

struct DepsArguments {
  std::string trace;
  std::string output;
  uint32_t timeout = 300;
  bool all = false, reduced = false, csv = false;
};

// Fields that a comma or quote would end.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

nlohmann::ordered_json to_json(const Reference& r, MemoryNames& names) {
  const SourcePlace& place = names.place(r.site);
  return {{"thread", r.slot},     {"event", fmt::format("{}:{}", r.slot, r.count)}, {"reference", r.number},
          {"file", place.file},   {"line", place.line},                             {"function", place.function}};
}

// Of an object: where the program has it, if that is known.
std::string variable_of(const Dependence& d, MemoryNames& names) {
  if (!d.object) return names.variable(d.address);
  return d.to.object == d.from.object ? names.variable(d.to.object) : "";
}

void print_json_line(std::FILE* out, const Dependence& d, MemoryNames& names) {
  nlohmann::ordered_json line = {{"kind", kKinds[static_cast<size_t>(d.kind)]},
                                 {"from", to_json(d.from, names)},
                                 {"to", to_json(d.to, names)},
                                 {"address", fmt::format("{:#x}", d.address)},
                                 {"bytes", d.bytes},
                                 {"variable", variable_of(d, names)},
                                 {"object", d.object}};
  fmt::print(out, "{}\n", line.dump());
}

void print_csv_line(std::FILE* out, const Dependence& d, MemoryNames& names) {
  auto side = [&](const Reference& r) {
    const SourcePlace& place = names.place(r.site);
    return fmt::format("{},{},{},{},{},{}", r.slot, r.count, r.number, quoted(place.file), place.line,
                       quoted(place.function));
  };
  fmt::print(out, "{},{},{},{:#x},{},{},{}\n", kKinds[static_cast<size_t>(d.kind)], side(d.from), side(d.to), d.address,
             d.bytes, quoted(variable_of(d, names)), d.object);
}

constexpr const char* kCsvHead =
    "kind,from_thread,from_count,from_reference,from_file,from_line,from_function,to_thread,to_count,to_reference,to_file,"
    "to_line,to_function,address,bytes,variable,object\n";

int run(const DepsArguments& options) {
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  auto replay = ToldReplay::open(*path, options.timeout);
  if (!replay) return fail(replay.error(), kExitFailed);
  std::FILE* out = stdout;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, std::fclose);
  if (!options.output.empty()) {
    file.reset(std::fopen(options.output.c_str(), "we"));
    if (!file) return fail(system_error("cannot write " + options.output, errno), kExitFailed);
    out = file.get();
  }
  MemoryNames names(replay->reader());
  if (options.csv) fmt::print(out, "{}", kCsvHead);
  Dependences found(!options.all, [&](const Dependence& d) {
    options.csv ? print_csv_line(out, d, names) : print_json_line(out, d, names);
  });
  if (Status s = replay->run(Telling::kReferences, found, "following dependences"); !s) return fail(s.error(), kExitFailed);
  if (std::fflush(out) != 0) return fail(system_error("cannot write the dependences", errno), kExitFailed);
  return 0;
}

}  // namespace

Command add_deps(CLI::App& root) {
  CLI::App* app = root.add_subcommand("deps", "The dependences between the threads of an execution");
  auto options = std::make_shared<DepsArguments>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  auto* all = app->add_flag("--all", options->all, "Every read after write, write after write and write after read");
  app->add_flag("--reduced", options->reduced, "Only those that do not follow from others (the default)")->excludes(all);
  app->add_flag("--csv", options->csv, "As comma-separated values, not as lines of JSON");
  app->add_option("-o,--output", options->output, "Write to FILE, not to stdout")->type_name("FILE");
  add_timeout(*app, options->timeout);
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
