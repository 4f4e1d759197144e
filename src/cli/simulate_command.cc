// anaphora simulate FILE
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "sim/granule_table.h"
#include "sim/simulation.h"

namespace ana {

namespace {

using algorithms::Entry;
using algorithms::Logs;
using algorithms::Name;
using sim::RunResult;
using sim::SimulationResult;

struct SimulateArguments {
  std::string file;
  std::vector<std::string> names;
  bool all_letters = false, all = false;
  bool letter[std::size(algorithms::kCatalogue)] = {};
  unsigned shift = 0, debug = 0;
  bool serials = false;
  bool quiet = false, verbose = false, types = false, json = false, csv = false;
};

// In the order of the catalogue; without any choice, the thesis's six.
Result<std::vector<Name>> chosen(const SimulateArguments& options) {
  bool wanted[std::size(algorithms::kCatalogue)] = {};
  bool any = false;
  for (const Entry& e : algorithms::kCatalogue) {
    auto i = static_cast<size_t>(e.name);
    wanted[i] = options.all || options.letter[i] || (options.all_letters && e.letter);
    any |= wanted[i];
  }
  for (const std::string& name : options.names) {
    const Entry* e = algorithms::find_algorithm(name.c_str());
    if (!e) return Error{"there is no algorithm " + name + "; `anaphora algorithms` lists them"};
    wanted[static_cast<size_t>(e->name)] = any = true;
  }
  std::vector<Name> out;
  for (const Entry& e : algorithms::kCatalogue) {
    bool only_types = options.types && !any;
    if (wanted[static_cast<size_t>(e.name)] || (!any && !only_types && e.letter)) out.push_back(e.name);
  }
  return out;
}

double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * double(part) / double(whole) : 0; }
// Small shares keep three digits that mean something.
std::string share(uint64_t part, uint64_t whole) {
  double p = percent(part, whole);
  return p != 0 && p < 0.1 ? fmt::format("{:.2g}%", p) : fmt::format("{:.3g}%", p);
}
std::string parallelism(const RunResult& r) {
  return r.critical_path ? fmt::format("{:.2f}", double(r.references) / double(r.critical_path)) : "-";
}
bool has_kinds(Name name) { return entry(name).logs != Logs::versions; }
constexpr const char* kKindNames[] = {"raw", "waw", "war", "rar", "artificial"};
using algorithms::kTransitionNames;

nlohmann::json to_json(Name name, const RunResult& r) {
  nlohmann::json out = {{"name", entry(name).text},
                        {"traced", r.traced},
                        {"references", r.references},
                        {"percent", percent(r.traced, r.references)},
                        {"traced_references", r.traced_references},
                        {"histories", r.histories},
                        {"history_bytes", r.history_bytes}};
  if (r.critical_path) {
    out["critical_path"] = r.critical_path;
    out["parallelism"] = double(r.references) / double(r.critical_path);
  }
  if (has_kinds(name)) {
    for (size_t i = 0; i < std::size(kKindNames); i++) out["kinds"][kKindNames[i]] = r.kinds[i];
    out["read_read_percent"] = percent(r.kinds[size_t(algorithms::EdgeKind::rar)], r.traced);
  }
  if (entry(name).logs == Logs::clocks) {
    out["clock_skips"] = nlohmann::json::array();
    for (size_t i = 0; i < r.skips.size(); i++) {
      if (r.skips[i])
        out["clock_skips"].push_back({{"from", 1ull << i}, {"to", (2ull << i) - 1}, {"count", r.skips[i]}});
    }
  }
  if (name == Name::octet) {
    for (size_t i = 0; i < std::size(kTransitionNames); i++) out["transitions"][kTransitionNames[i]] = r.transitions[i];
  }
  if (name == Name::rwtrace_1 || name == Name::rwtrace_2) {
    out["reads"] = r.reads;
    out["local_reads"] = r.local_reads;
  }
  return out;
}

nlohmann::json to_json(const sim::AccessTypes& t) {
  return {{"reads", t.kinds[0]},
          {"writes", t.kinds[1]},
          {"updates", t.kinds[2]},
          {"race_checks", t.checks},
          {"race_checks_percent", percent(t.checks, t.references)},
          {"reads_after_others_read", t.after_read_by_other},
          {"references_by_thread", t.by_thread},
          {"granules",
           {{"private", t.private_granules}, {"read_only", t.read_only_granules}, {"shared", t.shared_granules}}}};
}

void print_table(const std::vector<Name>& names, const SimulationResult& s) {
  fmt::print("{:<24} {:>14} {:>10} {:>10} {:>14} {:>12}\n", "algorithm", "traced", "percent", "read-read",
             "history bytes", "parallelism");
  for (size_t i = 0; i < names.size(); i++) {
    const RunResult& r = s.results[i];
    fmt::print("{:<24} {:>14} {:>10} {:>10} {:>14} {:>12}\n", entry(names[i]).text, human_count(r.traced),
               share(r.traced, r.references),
               has_kinds(names[i]) ? share(r.kinds[size_t(algorithms::EdgeKind::rar)], r.traced) : "-", human_count(r.history_bytes),
               parallelism(r));
  }
}

void print_details(Name name, const RunResult& r) {
  fmt::print("\n{}: {}\n", entry(name).text, entry(name).description);
  auto line = [](const std::string& title, const std::string& text) { fmt::print("  {:<22} {}\n", title, text); };
  line("histories", fmt::format("{} of {} bytes", human_count(r.histories), human_count(r.history_bytes)));
  if (r.critical_path)
    line("critical path", fmt::format("{} of {} events", human_count(r.critical_path), human_count(r.references)));
  if (has_kinds(name)) {
    line("references traced",
         fmt::format("{} ({})", human_count(r.traced_references), share(r.traced_references, r.references)));
    for (size_t i = 0; i < std::size(kKindNames); i++) {
      if (r.kinds[i]) line(kKindNames[i], fmt::format("{} ({})", human_count(r.kinds[i]), share(r.kinds[i], r.traced)));
    }
  }
  for (size_t i = 0; i < r.skips.size(); i++) {
    if (r.skips[i]) line(fmt::format("clock skips {}-{}", 1ull << i, (2ull << i) - 1), human_count(r.skips[i]));
  }
  if (name == Name::octet) {
    for (size_t i = 0; i < std::size(kTransitionNames); i++)
      line(kTransitionNames[i],
           fmt::format("{} ({})", human_count(r.transitions[i]), share(r.transitions[i], r.references)));
  }
  if (name == Name::rwtrace_1 || name == Name::rwtrace_2)
    line("thread-local reads", fmt::format("{} of {} reads ({})", human_count(r.local_reads), human_count(r.reads),
                                           share(r.local_reads, r.reads)));
}

void print_types(const sim::AccessTypes& t) {
  fmt::print("\naccesses\n");
  auto line = [&](const std::string& title, uint64_t n, uint64_t of) {
    fmt::print("  {:<22} {:>14} {:>8}\n", title, human_count(n), share(n, of));
  };
  line("reads", t.kinds[0], t.references);
  line("writes", t.kinds[1], t.references);
  line("updates", t.kinds[2], t.references);
  line("need a race check", t.checks, t.references);
  line("  read after read", t.after_read_by_other, t.references);
  for (size_t i = 0; i < t.by_size.size(); i++) {
    if (!t.by_size[i]) continue;
    uint64_t from = 1ull << i, to = (2ull << i) - 1;
    line(from == to ? "of 1 byte" : fmt::format("of {}-{} bytes", from, to), t.by_size[i], t.references);
  }
  for (size_t i = 0; i < t.by_thread.size(); i++) line(fmt::format("of thread {}", i), t.by_thread[i], t.references);
  uint64_t granules = t.private_granules + t.read_only_granules + t.shared_granules;
  line("granules of one thread", t.private_granules, granules);
  line("granules only read", t.read_only_granules, granules);
  line("granules shared", t.shared_granules, granules);
}

void print_csv(const std::vector<Name>& names, const SimulationResult& s) {
  fmt::print(
      "name,traced,references,percent,traced_references,raw,waw,war,rar,artificial,histories,history_bytes,"
      "critical_path,parallelism\n");
  for (size_t i = 0; i < names.size(); i++) {
    const RunResult& r = s.results[i];
    fmt::print(
        "{},{},{},{},{},{},{},{},{}\n", entry(names[i]).text, r.traced, r.references, percent(r.traced, r.references),
        r.traced_references, fmt::join(r.kinds, ","), r.histories, r.history_bytes,
        r.critical_path ? fmt::format("{},{}", r.critical_path, double(r.references) / double(r.critical_path)) : ",");
  }
}

void print_traced(Name name, const sim::Traced& t) {
  const ReferenceRow& row = t.reference;
  std::string reference = fmt::format("{} {} {}:{} {} {:#x}+{}", entry(name).text, t.number + 1, row.thread, t.serial,
                                      "rwu"[static_cast<int>(row.kind)], row.address, row.size);
  if (t.edge) {
    fmt::print("{} after {}:{} {}\n", reference, t.edge->thread, t.edge->serial,
               kKindNames[static_cast<size_t>(t.edge->kind)]);
  } else {
    fmt::print("{}\n", reference);
  }
}

void print_result(const SimulateArguments& options, const std::vector<Name>& names, const SimulationResult& s) {
  bool types = options.types || options.verbose;
  if (options.json) {
    nlohmann::json out = {{"file", options.file},
                          {"threads", s.threads},
                          {"references", s.references},
                          {"shift", options.shift},
                          {"algorithms", nlohmann::json::array()}};
    for (size_t i = 0; i < names.size(); i++) out["algorithms"].push_back(to_json(names[i], s.results[i]));
    if (types) out["accesses"] = to_json(s.types);
    print_json(out);
    return;
  }
  if (options.csv) return print_csv(names, s);
  fmt::print("{} references of {} threads, one history per {}\n\n", human_count(s.references), s.threads,
             options.shift ? fmt::format("{} bytes", 1ull << options.shift) : "byte");
  if (!names.empty()) print_table(names, s);
  for (size_t i = 0; options.verbose && i < names.size(); i++) print_details(names[i], s.results[i]);
  if (types) print_types(s.types);
}

int run(const SimulateArguments& options) {
  auto names = chosen(options);
  if (!names) return fail(names.error(), kExitUsage);
  ProgressLine line("simulating");
  sim::SimulationOptions how;
  how.algorithms = *names;
  how.access_types = options.types || options.verbose;
  how.shift = options.shift;
  how.serials = options.serials;
  how.progress = [&](uint64_t done, uint64_t all) { line.update(done, all); };
  if (options.debug >= 1) how.on_edge = print_traced;
  if (options.debug >= 2) how.on_reference = print_traced;
  if (options.debug >= 1) how.workers = 1;
  auto result = sim::simulate(options.file, how);
  line.clear();
  if (!result) return fail(result.error(), kExitFailed);
  print_result(options, *names, *result);
  return 0;
}

}  // namespace

Command add_simulate(CLI::App& root) {
  CLI::App* app = root.add_subcommand("simulate", "What tracing algorithms would trace of an execution");
  auto options = std::make_shared<SimulateArguments>();
  app->add_option("file", options->file, "A file of references, binary or text")->required()->type_name("FILE");
  app->add_option("--algorithm", options->names, "This algorithm; may be repeated (`anaphora algorithms` lists them)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app->add_flag("--all", options->all, "All algorithms");
  app->add_flag("-a", options->all_letters, "The six that have a letter (the default)");
  for (const Entry& e : algorithms::kCatalogue) {
    if (e.letter) app->add_flag(fmt::format("-{}", e.letter), options->letter[static_cast<size_t>(e.name)], e.text);
  }
  app->add_option("-b,--shift", options->shift, "One history for 2^SHIFT bytes (default: 0)")
      ->type_name("SHIFT")
      ->check(CLI::Range(0u, sim::kMaxGranuleShift));
  app->add_option("-d,--debug", options->debug, "1: print what is traced; 2: also every reference")
      ->type_name("0..2")
      ->check(CLI::Range(0u, 2u));
  app->add_flag("--serials", options->serials,
                "Number events as the file does (traces of recordings: by the threads' counts), as the recorder would");
  auto* quiet = app->add_flag("-q,--quiet", options->quiet, "Only the table (the default)");
  app->add_flag("-v,--verbose", options->verbose, "Also kinds of edges, clock skips, accesses")->excludes(quiet);
  app->add_flag("-z,--accesses", options->types, "What kinds of accesses there are, and how many need a race check");
  auto* json = app->add_flag("--json", options->json, "As JSON");
  app->add_flag("--csv", options->csv, "As comma-separated values")->excludes(json);
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
