// anaphora why T:E [trace]: what led to an event, back over the threads.
#include <memory>

#include "analysis/slice.h"
#include "cli/commands.h"
#include "cli/memory_names.h"
#include "cli/output.h"
#include "cli/told_replay.h"
#include "trace/event_name.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

using dependences::Dependence;
using dependences::Dependences;
using dependences::Reference;
using dependences::Slice;
using dependences::Step;

struct WhyArguments {
  std::string event, trace;
  uint32_t steps = 20, timeout = 300;
  bool json = false;
};

std::string event_of(const Reference& r) { return fmt::format("{}:{}", r.slot, r.count); }

void print_step(const Step& step, MemoryNames& names) {
  const Dependence& by = step.by;
  std::string indent(2 * std::min(step.depth, 20u), ' ');
  if (by.object) {
    fmt::print("{}thread {} at {} used a lock or another object after thread {} at {}\n", indent, by.to.slot,
               event_of(by.to), by.from.slot, event_of(by.from));
    return;
  }
  std::string variable = names.variable(by.address);
  if (variable.empty()) variable = fmt::format("{:#x}", by.address);
  fmt::print("{}thread {} at {} read {} in {}\n{}  written by thread {} at {} in {}\n", indent, by.to.slot, event_of(by.to),
             variable, names.text(by.to.site), indent, by.from.slot, event_of(by.from), names.text(by.from.site));
}

nlohmann::json to_json(const Reference& r, bool object, MemoryNames& names) {
  if (object) return {{"thread", r.slot}, {"event", event_of(r)}};
  const SourcePlace& place = names.place(r.site);
  return {{"thread", r.slot}, {"event", event_of(r)}, {"file", place.file}, {"line", place.line}, {"function", place.function}};
}

nlohmann::json to_json(const Step& step, MemoryNames& names) {
  const Dependence& by = step.by;
  return {{"depth", step.depth},
          {"kind", by.object ? "object" : "raw"},
          {"address", by.address},
          {"variable", by.object ? "" : names.variable(by.address)},
          {"to", to_json(by.to, by.object, names)},
          {"from", to_json(by.from, by.object, names)}};
}

int run(const WhyArguments& options) {
  auto event = parse_event(options.event);
  if (!event)
    return fail({"`" + options.event + "` is no event: write thread and event as 2:1234, as `anaphora races` does"},
                kExitUsage);
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  auto replay = ToldReplay::open(*path, options.timeout);
  if (!replay) return fail(replay.error(), kExitFailed);
  Slice slice;
  Dependences all(false, [&](const Dependence& d) { slice.add(d); });
  if (Status s = replay->run(Telling::kReferences, all, "following dependences"); !s) return fail(s.error(), kExitFailed);
  std::vector<Step> steps = slice.back_from(event->slot, event->count, options.steps);
  MemoryNames names(replay->reader().program_file());
  if (options.json) {
    nlohmann::json out = {{"trace", *path}, {"event", options.event}, {"steps", nlohmann::json::array()}};
    for (const Step& step : steps) out["steps"].push_back(to_json(step, names));
    print_json(out);
    return 0;
  }
  if (steps.empty()) fmt::print("Nothing that other threads did led to {}.\n", options.event);
  for (const Step& step : steps) print_step(step, names);
  return 0;
}

}  // namespace

Command add_why(CLI::App& root) {
  CLI::App* app = root.add_subcommand("why", "What led to an event, back over the threads");
  auto options = std::make_shared<WhyArguments>();
  app->add_option("event", options->event, "Thread and event, as 2:1234")->required()->type_name("T:E");
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_option("--steps", options->steps, "How many steps back, at most (default 20)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_timeout(*app, options->timeout);
  app->add_flag("--json", options->json, "As JSON");
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
