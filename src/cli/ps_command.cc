// anaphora ps [trace]: the threads of a recorded program, and the programs that it executed.
#include <string.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report_text.h"
#include "trace/child_traces.h"
#include "trace/stream_format.h"
#include "trace/trace_reader.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

struct RecordedThread {
  uint32_t slot = 0;
  uint64_t ordinal = 0;
  int64_t tid = 0;               // 0: not recorded
  uint64_t first = 0;            // event
  std::optional<uint64_t> last;  // event at which it ended by itself
  uint64_t edges = 0;
  uint64_t values = 0;
};

Status read_slot(const TraceReader& reader, uint32_t slot, std::vector<RecordedThread>& threads) {
  StreamCursor cursor = reader.stream(slot);
  RecordedThread now;
  now.slot = slot;
  bool any = false;
  for (;;) {
    auto action = cursor.next();
    if (!action) return action.error();
    if (!*action) break;
    const Value* value = std::get_if<Value>(&**action);
    if (value != nullptr && value->op == kOpThreadStart) {
      if (any && now.last) {
        threads.push_back(now);
        now = RecordedThread{};
        now.slot = slot;
        now.first = value->count;
      }
      now.tid = value->result;
      if (value->bytes.size() >= sizeof now.ordinal) memcpy(&now.ordinal, value->bytes.data(), sizeof now.ordinal);
    }
    any = true;
    (value == nullptr ? now.edges : now.values)++;
    if (value != nullptr && value->op == kOpThreadEnd) now.last = value->count;
  }
  if (any) threads.push_back(now);
  return {};
}

// A recorded child: one more line, or an object with the key "process".
void list_child(const std::string& trace, const std::string& name, nlohmann::json* to) {
  auto reader = TraceReader::open(child_trace(trace, name));
  if (!reader) return say(reader.error().text);
  const Manifest& m = reader->manifest();
  std::string end = m.end ? describe_end(*m.end) : m.forked ? "without an end: it still runs, or its recorder was killed" : "its recorder was killed";
  std::string parent = m.forked && m.forked->parent != "../.." ? m.forked->parent.substr(3) : "";
  if (to != nullptr) {
    to->push_back({{"process", name}, {"command", m.command}, {"end", end}, {"forked", m.forked.has_value()}});
    if (!parent.empty()) to->back()["parent"] = parent;
    return;
  }
  std::string how = !m.forked ? "" : parent.empty() ? ", forked" : ", forked by " + parent;
  fmt::print("process {}: {}{}, {}\n", name, fmt::join(m.command, " "), how, end);
}

int run(const std::string& trace, bool json) {
  auto path = find_trace(trace);
  if (!path) return fail(path.error(), kExitFailed);
  auto reader = TraceReader::open(*path);
  if (!reader) return fail(reader.error(), kExitFailed);
  std::vector<RecordedThread> threads;
  ProgressLine line("reading");
  for (uint32_t i = 0; i < reader->slots(); i++) {
    line.update(i, reader->slots());
    if (Status s = read_slot(*reader, i, threads); !s) return fail(s.error(), kExitFailed);
  }
  std::sort(threads.begin(), threads.end(),
            [](const auto& a, const auto& b) { return std::tie(a.ordinal, a.slot) < std::tie(b.ordinal, b.slot); });
  nlohmann::json all = nlohmann::json::array();
  if (!json)
    fmt::print("{:>6} {:>4} {:>8} {:>14} {:>14} {:>10} {:>10}\n", "thread", "slot", "tid", "first event", "last event",
               "edges", "values");
  for (const RecordedThread& t : threads) {
    if (json) {
      nlohmann::json out = {{"ordinal", t.ordinal}, {"slot", t.slot},   {"tid", t.tid},
                            {"first", t.first},     {"edges", t.edges}, {"values", t.values}};
      if (t.last) out["last"] = *t.last;
      all.push_back(out);
      continue;
    }
    fmt::print("{:>6} {:>4} {:>8} {:>14} {:>14} {:>10} {:>10}\n", t.ordinal, t.slot,
               t.tid == 0 ? "-" : fmt::format("{}", t.tid), t.first, t.last ? fmt::format("{}", *t.last) : "alive",
               t.edges, t.values);
  }
  if (uint64_t seed = reader->manifest().tuning.chaos; seed != 0 && !json) fmt::print("chaos: seed {}\n", seed);
  for (const std::string& name : child_names(*path)) list_child(*path, name, json ? &all : nullptr);
  if (json) print_json(all);
  return 0;
}

}  // namespace

Command add_ps(CLI::App& root) {
  return add_trace_command(root, "ps", "List the threads of a trace, and its recorded children", run);
}

}  // namespace ana
