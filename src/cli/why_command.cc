// anaphora why T:E [trace]: what led to an event, back over the threads.
#include <map>
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

// What a thread did to an object.
std::string operation_of(const Reference& r) {
  switch (r.operation) {
    case Told::kAcquire:
    case Told::kAcquireShared:
    case Told::kAcquireAlone: return "acquired";
    case Told::kRelease: return "released";
    case Told::kArrive: return "arrived at";
    case Told::kLeave: return "left";
    case Told::kCreate: return "created";
    case Told::kStart: return "began";
    case Told::kEnd: return "ended";
    case Told::kJoin: return "joined";
    default: return "";
  }
}

// Of what has an address: threads have none.
uint64_t address_of(const Dependence& by) { return by.object ? by.to.object : by.address; }

std::string variable_of(const Dependence& by, MemoryNames& names) {
  std::string name = names.variable(address_of(by));
  return name.empty() ? fmt::format("{:#x}", address_of(by)) : name;
}

void print_step(const Step& step, MemoryNames& names) {
  const Dependence& by = step.by;
  std::string indent(2 * std::min(step.depth, 20u), ' ');
  std::string to = fmt::format("{}thread {} at {}", indent, by.to.slot, event_of(by.to));
  std::string from = fmt::format("thread {} at {}", by.from.slot, event_of(by.from));
  if (!by.object) {
    fmt::print("{} read {} ({} byte{}) in {}\n{}  written by {} in {}\n", to, variable_of(by, names), by.bytes,
               by.bytes == 1 ? "" : "s", names.text(by.to.site), indent, from, names.text(by.from.site));
  } else if (by.to.operation == Told::kStart) {
    fmt::print("{} began\n{}  created by {} in {}\n", to, indent, from, names.text(by.from.site));
  } else if (by.to.operation == Told::kJoin) {
    fmt::print("{} joined thread {}, which ended at {}, in {}\n", to, by.from.slot, event_of(by.from),
               names.text(by.to.site));
  } else {
    fmt::print("{} {} {} in {}\n{}  {} by {} in {}\n", to, operation_of(by.to), variable_of(by, names),
               names.text(by.to.site), indent, operation_of(by.from), from, names.text(by.from.site));
  }
}

nlohmann::json to_json(const Reference& r, MemoryNames& names) {
  const SourcePlace& place = names.place(r.site);
  nlohmann::json out = {{"thread", r.slot},   {"event", event_of(r)},         {"file", place.file},
                        {"line", place.line}, {"function", place.function}, {"place", names.text(r.site)}};
  if (r.operation != Told::kAccess) out["operation"] = operation_of(r);
  return out;
}

nlohmann::json to_json(const Step& step, MemoryNames& names) {
  const Dependence& by = step.by;
  return {{"depth", step.depth},
          {"kind", by.object ? "object" : "raw"},
          {"address", address_of(by)},
          {"bytes", by.bytes},
          {"variable", names.variable(address_of(by))},
          {"to", to_json(by.to, names)},
          {"from", to_json(by.from, names)}};
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
  MemoryNames names(replay->reader());
  std::map<std::string, uint64_t> places;
  auto place_of = [&](uint64_t site) { return places.try_emplace(names.text(site), places.size()).first->second; };
  Slice slice(place_of, replay->variables());
  Dependences all(false, [&](const Dependence& d) { slice.add(d); });
  if (Status s = replay->run(Telling::kReferences, all, "following dependences"); !s) return fail(s.error(), kExitFailed);
  std::vector<Step> steps = slice.back_from(event->slot, event->count, options.steps);
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
