#include "view/read_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/stream_format.h"

namespace ana::view {

namespace {

constexpr uint64_t kMaxNoteBytes = 16 << 20;  // of all different notes; a page must stay small enough to open

bool is_drawn(const Action& action) {
  const Value* value = std::get_if<Value>(&action);
  if (value == nullptr) return true;
  return value->op != kOpAccesses && value->op != kOpVersions && value->op != kOpStackHeader &&
         value->op != kOpInitialStack;
}

Kind kind_of(uint32_t op) {
  if (op < kFirstRuntimeOp || op == kOpKeptRead) return Kind::kCall;
  switch (op) {
    case kOpProgram:
    case kOpCreate:
    case kOpThreadStart:
    case kOpThreadEnd:
      return Kind::kThread;
    case kOpSignal:
      return Kind::kSignal;
    case kOpEnd:
      return Kind::kStop;
    default:
      return Kind::kInput;
  }
}

// A publication: after the slot's first `edges` edges, when its count had been `count`.
struct Publication {
  uint64_t edges, count;
  auto operator<=>(const Publication&) const = default;
};

struct RawEdge {
  uint32_t source;
  Publication publication;
};

struct RawLane {
  std::vector<Event> actions;
  std::vector<RawEdge> edges;           // in order
  std::vector<uint32_t> edge_at;        // index of each in `actions`
  std::vector<Publication> published;   // sorted, each once
  std::vector<uint32_t> published_at;   // index of each in the finished lane
};

class ThreadReader {
 public:
  ThreadReader(const TraceReader& reader, int64_t rank, const Describe& describe, const Progress& progress,
               Picture& picture)
      : reader_(reader),
        rank_(rank),
        describe_(describe),
        progress_(progress),
        picture_(picture),
        first_lane_(static_cast<uint32_t>(picture.lanes.size())),
        lanes_(reader.slots()) {}

  Status run() {
    uint64_t done = 0;
    for (uint32_t i = 0; i < reader_.slots(); i++) {
      if (Status s = read_slot(i, done); !s) return s;
      done += reader_.raw_bytes(i);
    }
    for (const RawLane& lane : lanes_) {
      for (const RawEdge& edge : lane.edges) {
        if (edge.source >= lanes_.size())
          return Error{fmt::format("{}: an edge comes from slot {}, which has no stream", reader_.directory(),
                                   edge.source)};
        lanes_[edge.source].published.push_back(edge.publication);
      }
    }
    for (uint32_t i = 0; i < lanes_.size(); i++) finish_lane(i);
    for (uint32_t i = 0; i < lanes_.size(); i++) connect_edges(i);
    connect_creations();
    return {};
  }

 private:
  Status read_slot(uint32_t slot, uint64_t done) {
    StreamCursor cursor = reader_.stream(slot);
    RawLane& lane = lanes_[slot];
    for (;;) {
      auto action = cursor.next();
      if (!action) return action.error();
      if (!*action) return {};
      if (progress_) progress_(done + cursor.offset(), reader_.raw_bytes());
      if (!is_drawn(**action)) continue;
      if (const Edge* edge = std::get_if<Edge>(&**action)) {
        lane.edge_at.push_back(static_cast<uint32_t>(lane.actions.size()));
        lane.edges.push_back({edge->source, {edge->source_edges, edge->source_count}});
        lane.actions.push_back(event_of(*edge));
      } else {
        lane.actions.push_back(event_of(std::get<Value>(**action)));
      }
    }
  }

  Event event_of(const Edge& edge) {
    Event event;
    event.count = edge.count;
    event.kind = edge.site == kSiteOperation ? Kind::kSync : Kind::kAccess;
    event.place = place_of(edge.site);
    return event;
  }

  Event event_of(const Value& value) {
    Event event;
    event.count = value.count;
    event.kind = kind_of(value.op);
    event.result = value.result;
    event.what = picture_.texts.add(operation_name(value.op));
    std::string note = describe_.note(value);
    if (picture_.texts.bytes() + note.size() > kMaxNoteBytes) {
      picture_.notes_left_out = true;
    } else {
      event.note = picture_.texts.add(note);
    }
    return event;
  }

  const std::string& operation_name(uint32_t op) {
    auto [at, added] = operations_.try_emplace(op);
    if (added) at->second = describe_.operation(op);
    return at->second;
  }

  uint32_t place_of(uint64_t site) {
    if (site == kSiteOperation) return 0;
    auto [at, added] = places_.try_emplace(site, static_cast<uint32_t>(picture_.places.size()));
    if (added) picture_.places.push_back(describe_.place(site));
    return at->second;
  }

  // Puts the publications between the actions: after all actions of their count, but before the first edge that was
  // taken after them.
  void finish_lane(uint32_t slot) {
    RawLane& raw = lanes_[slot];
    std::sort(raw.published.begin(), raw.published.end());
    raw.published.erase(std::unique(raw.published.begin(), raw.published.end()), raw.published.end());
    Lane lane;
    lane.thread = slot;
    lane.rank = rank_;
    lane.name = rank_ < 0 ? fmt::format("thread {}", slot) : fmt::format("rank {} thread {}", rank_, slot);
    lane.events.reserve(raw.actions.size() + raw.published.size());
    size_t next = 0;
    for (const Publication& p : raw.published) {
      size_t stop = p.edges < raw.edge_at.size() ? raw.edge_at[p.edges] : raw.actions.size();
      size_t needed = p.edges == 0 || p.edges > raw.edge_at.size() ? 0 : raw.edge_at[p.edges - 1] + size_t{1};
      while (next < stop && (next < needed || raw.actions[next].count <= p.count))
        lane.events.push_back(raw.actions[next++]);
      raw.published_at.push_back(static_cast<uint32_t>(lane.events.size()));
      Event event;
      event.count = p.count;
      event.kind = Kind::kGave;
      lane.events.push_back(event);
    }
    lane.events.insert(lane.events.end(), raw.actions.begin() + static_cast<ptrdiff_t>(next), raw.actions.end());
    raw.actions = {};
    picture_.lanes.push_back(std::move(lane));
  }

  void connect_edges(uint32_t slot) {
    auto edge = lanes_[slot].edges.begin();
    for (Event& event : picture_.lanes[first_lane_ + slot].events) {
      if (event.kind != Kind::kAccess && event.kind != Kind::kSync) continue;
      const RawLane& source = lanes_[edge->source];
      auto found = std::lower_bound(source.published.begin(), source.published.end(), edge->publication);
      event.from_lane = first_lane_ + edge->source;
      event.from_index = source.published_at[static_cast<size_t>(found - source.published.begin())];
      ++edge;
    }
  }

  // A thread begins after its creation: the n-th start in a slot after the n-th creation that named the slot. If
  // several threads created for one slot, who came first is not known here, and nothing is connected.
  void connect_creations() {
    uint32_t create = picture_.texts.add(operation_name(kOpCreate));
    uint32_t start = picture_.texts.add(operation_name(kOpThreadStart));
    std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> created;  // by slot: lane and index
    for (uint32_t i = 0; i < lanes_.size(); i++) {
      const std::vector<Event>& events = picture_.lanes[first_lane_ + i].events;
      for (uint32_t k = 0; k < events.size(); k++) {
        bool made = events[k].what == create && events[k].result >= 0;
        if (made && static_cast<uint64_t>(events[k].result) < lanes_.size())
          created[static_cast<uint32_t>(events[k].result)].emplace_back(first_lane_ + i, k);
      }
    }
    for (const auto& [slot, list] : created) {
      if (list.front().first != list.back().first) continue;
      bool is_first = slot == 0;  // the program's first thread was created by nobody here
      size_t n = 0;
      for (Event& event : picture_.lanes[first_lane_ + slot].events) {
        if (event.what != start || n == list.size()) continue;
        if (!is_first) std::tie(event.from_lane, event.from_index) = list[n++];
        is_first = false;
      }
    }
  }

  const TraceReader& reader_;
  int64_t rank_;
  const Describe& describe_;
  const Progress& progress_;
  Picture& picture_;
  uint32_t first_lane_;
  std::vector<RawLane> lanes_;
  std::unordered_map<uint64_t, uint32_t> places_;
  std::unordered_map<uint32_t, std::string> operations_;
};

}  // namespace

Status add_threads(const TraceReader& reader, int64_t rank, const Describe& describe, const Progress& progress,
                   Picture& picture) {
  return ThreadReader(reader, rank, describe, progress, picture).run();
}

}  // namespace ana::view
