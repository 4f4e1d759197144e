// anaphora dump [trace]: the recorded actions, one per line.
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/dump_ranks.h"
#include "cli/op_names.h"
#include "cli/output.h"
#include "cli/sites.h"
#include "trace/mapped_libraries.h"
#include "trace/mpi_manifest.h"
#include "trace/stream_format.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

struct DumpArguments {
  std::string trace;
  std::optional<uint32_t> slot, rank;
  uint64_t limit = 0;  // 0: none
  size_t bytes = 32;
  bool json = false;
};

class Dumper {
 public:
  Dumper(const TraceReader& reader, const DumpArguments& options)
      : reader_(reader), options_(options), sites_(reader) {}

  Status run() {
    for (uint32_t i = 0; i < reader_.slots(); i++) {
      if (options_.slot && *options_.slot != i) continue;
      if (Status s = dump_slot(i); !s) return s;
    }
    return {};
  }

 private:
  Status dump_slot(uint32_t slot) {
    StreamCursor cursor = reader_.stream(slot);
    for (uint64_t n = 0; options_.limit == 0 || n < options_.limit; n++) {
      auto action = cursor.next();
      if (!action) return action.error();
      if (!*action) break;
      std::visit([&](const auto& a) { options_.json ? print_json_line(slot, a) : print_line(slot, a); }, **action);
      if (ferror(stdout)) return Error{"cannot write the output"};
    }
    return {};
  }

  void print_line(uint32_t slot, const Edge& e) {
    fmt::print("{:>4} {:>12} edge  from slot {} event {} edges {}, at {}\n", slot, e.count, e.source, e.source_count,
               e.source_edges, sites_.describe(e.site));
  }
  void print_line(uint32_t slot, const Value& v) {
    fmt::print("{:>4} {:>12} value {} = {}", slot, v.count, op_name(v.op), v.result);
    if (v.op == kOpEnd) {
      StreamEnd end;
      memcpy(&end, v.bytes.data(), sizeof end);
      fmt::print(", {}", name_of(static_cast<SlotState>(end.state)));
      bool ran = static_cast<SlotState>(end.state) == SlotState::kRunning;
      if (end.site != 0) fmt::print(" {} {}", ran ? "behind" : "at", sites_.describe(end.site));
    } else if (v.op == kOpElfMapping) {
      print_mapping(v);
    } else if (!v.bytes.empty()) {
      fmt::print(", {} bytes {}", v.bytes.size(), quote_bytes(v.bytes.data(), v.bytes.size(), options_.bytes));
    }
    fmt::print("\n");
  }

  static void print_mapping(const Value& v) {
    std::string path = path_in(v);
    fmt::print(", {}", quote_bytes(v.bytes.data(), path.size(), path.size()));
    if (auto mapping = elf_mapping_in(v))
      fmt::print(" from {} on, {} bytes at {:#x}", mapping->offset, mapping->bytes, mapping->at);
  }

  static void print_compact(const nlohmann::json& value) {
    fmt::print("{}\n", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  void print_json_line(uint32_t slot, const Edge& e) {
    nlohmann::json out = {{"kind", "edge"},
                          {"slot", slot},
                          {"count", e.count},
                          {"site", e.site},
                          {"source", e.source},
                          {"source_count", e.source_count},
                          {"source_edges", e.source_edges}};
    if (auto place = sites_.find(e.site)) {
      out["file"] = place->file;
      out["line"] = place->line;
      out["function"] = place->function;
    }
    print_compact(out);
  }
  void print_json_line(uint32_t slot, const Value& v) {
    std::string hex;
    for (size_t i = 0; i < std::min(v.bytes.size(), options_.bytes); i++) hex += fmt::format("{:02x}", v.bytes[i]);
    print_compact({{"kind", "value"},
                   {"slot", slot},
                   {"count", v.count},
                   {"op", v.op},
                   {"name", op_name(v.op)},
                   {"result", v.result},
                   {"length", v.bytes.size()},
                   {"bytes", hex}});
  }

  const TraceReader& reader_;
  const DumpArguments& options_;
  SiteResolver sites_;
};

int run(const DumpArguments& options) {
  auto path = find_trace(options.trace);
  if (!path) return fail(path.error(), kExitFailed);
  if (is_mpi_trace(*path)) return dump_mpi(*path, {options.rank, options.slot, options.limit, options.json});
  if (options.rank) return fail({*path + " is not the recording of an MPI job: it has no ranks"}, kExitFailed);
  auto reader = TraceReader::open(*path);
  if (!reader) return fail(reader.error(), kExitFailed);
  if (options.slot && *options.slot >= reader->slots()) {
    return fail({fmt::format("there is no slot {}; the trace has {}", *options.slot, reader->slots())}, kExitFailed);
  }
  if (Status s = Dumper(*reader, options).run(); !s) return fail(s.error(), kExitFailed);
  return 0;
}

}  // namespace

Command add_dump(CLI::App& root) {
  CLI::App* app = root.add_subcommand("dump", "Print the recorded actions");
  auto options = std::make_shared<DumpArguments>();
  app->add_option("trace", options->trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_option("--slot", options->slot, "Only this slot; of an MPI job: this stream of each rank")->type_name("N");
  app->add_option("--rank", options->rank, "Of an MPI job: only this rank")->type_name("N");
  app->add_option("--limit", options->limit, "At most this many actions of each slot")->type_name("N");
  app->add_option("--bytes", options->bytes, "At most this many bytes of each value (default 32)")->type_name("N");
  app->add_flag("--json", options->json, "One JSON object per line");
  return {app, [options] { return run(*options); }};
}

}  // namespace ana
