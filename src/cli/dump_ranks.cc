#include "cli/dump_ranks.h"

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/mpi_reports.h"
#include "cli/output.h"
#include "trace/rank_events.h"
#include "trace/traced_channels.h"

namespace ana {

namespace {

// Nothing in a file is trusted, sums included.
int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

const char* name_of(RequestClass kind) {
  switch (kind) {
    case RequestClass::kWildcard: return "recorded";
    case RequestClass::kNamed: return "named";
    case RequestClass::kSend: return "send";
  }
  return "unknown";
}

// What events tell by differences, as numbers: those of receives from 0, by the order of posting.
class StreamDump {
 public:
  StreamDump(uint32_t rank, const RankStream& stream, const DumpRanksOptions& options)
      : rank_(rank), stream_(stream), options_(options) {}

  // False: the stream is damaged.
  bool run() {
    const uint8_t* end = stream_.bytes.data() + stream_.bytes.size();
    RankDecoder decoder;
    RankEvent event;
    uint64_t n = 0;
    for (const uint8_t* at = stream_.bytes.data(); at < end && (options_.limit == 0 || n < options_.limit); n++) {
      at = decoder.get(at, end, event);
      if (at == nullptr || !show(event)) return false;
    }
    return true;
  }

 private:
  using Facts = nlohmann::ordered_json;

  bool show(const RankEvent& e) {
    switch (e.kind) {
      case EventKind::kMatch:
      case EventKind::kMatchAt: {
        int64_t number = add(next_receive_, e.kind == EventKind::kMatchAt ? e.number : 0);
        next_receive_ = add(number, 1);
        tag_ = add(tag_, e.tag);
        print("match", {{"receive", number}, {"source", e.value}, {"tag", tag_}});
        return true;
      }
      case EventKind::kTraced:
        return show_traced(e);
      case EventKind::kUnmatched: {
        if (e.value >= std::size(unmatched_)) return false;
        int64_t number = unmatched_[e.value] = add(unmatched_[e.value], e.number);
        auto kind = static_cast<RequestClass>(e.value);
        if (kind == RequestClass::kWildcard) next_receive_ = add(number, 1);
        print("unmatched", {{"receive", number}, {"class", name_of(kind)}});
        return true;
      }
      case EventKind::kOutcome:
        print("outcome", {{"value", e.value}});
        return true;
      case EventKind::kNo:
        print("no", {{"times", e.value}});
        return true;
      case EventKind::kTime:
        time_ = add(time_, unzigzag(e.value));
        print("time", {{"units", time_}});
        return true;
      case EventKind::kCheck:
        calls_ += e.value;
        print("check", {{"calls", calls_}, {"hash", e.check}});
        return true;
      case EventKind::kTurn:
        turn_ += e.value + static_cast<uint64_t>(e.number);
        operation_ += e.value;
        print("turn", {{"operation", operation_}, {"turn", turn_}});
        return true;
      case EventKind::kThread:
        print("thread", {{"lineage", e.value}});
        return true;
      case EventKind::kReceived:
        if (e.value == 0) {
          print("received", {{"communicator", e.communicator}, {"others", "none"}});
        } else {
          print("received", {{"communicator", e.communicator},
                             {"source", e.value - 1},
                             {"tag", e.tag},
                             {"messages", e.index}});
        }
        return true;
      case EventKind::kEnd:
        print("end", {{"calls", e.value}, {"hash", e.hash}});
        return true;
    }
    return false;
  }

  bool show_traced(const RankEvent& e) {
    const TracedChannel* channel = channels_.of(e);
    if (channel == nullptr) return false;
    int64_t& next = e.named ? next_named_ : next_receive_;
    int64_t number = add(next, e.number);
    next = add(number, 1);
    print("raced", {{"receive", number},
                    {"class", name_of(e.named ? RequestClass::kNamed : RequestClass::kWildcard)},
                    {"source", channel->source},
                    {"tag", channel->tag},
                    {"communicator", channel->communicator},
                    {"index", channel->index}});
    return true;
  }

  void print(const char* kind, Facts facts) {
    if (options_.json) {
      Facts out = {{"kind", kind}, {"rank", rank_}, {"stream", stream_.stream}};
      out.update(facts);
      fmt::print("{}\n", out.dump());
      return;
    }
    fmt::print("{:>4} {:>4} {:<9}", rank_, stream_.stream, kind);
    for (const auto& [name, value] : facts.items())
      fmt::print(" {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
    fmt::print("\n");
  }

  uint32_t rank_;
  const RankStream& stream_;
  const DumpRanksOptions& options_;
  int64_t next_receive_ = 0, next_named_ = 0, tag_ = 0, time_ = 0;
  int64_t unmatched_[3] = {};  // by RequestClass
  uint64_t calls_ = 0, turn_ = 0, operation_ = 0;
  TracedChannels channels_;
};

}  // namespace

int dump_mpi(const std::string& trace, const DumpRanksOptions& options) {
  auto job = read_job(trace);
  if (!job) return fail(job.error(), kExitFailed);
  if (options.rank && *options.rank >= job->ranks.size())
    return fail({fmt::format("there is no rank {}; the job has {}", *options.rank, job->ranks.size())}, kExitFailed);
  for (const RankTrace& rank : job->ranks) {
    if (options.rank && *options.rank != rank.rank) continue;
    for (const RankStream& stream : rank.streams) {
      if (stream.stream >= kMaxStreams || (options.stream && *options.stream != stream.stream)) continue;
      if (!StreamDump(rank.rank, stream, options).run()) {
        return fail({fmt::format("the stream of rank {} is damaged; `anaphora verify` says where", rank.rank)},
                    kExitFailed);
      }
      if (ferror(stdout)) return fail({"cannot write the output"}, kExitFailed);
    }
  }
  return 0;
}

}  // namespace ana
