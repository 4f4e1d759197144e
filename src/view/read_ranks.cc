#include "view/read_ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/rank_events.h"
#include "trace/traced_channels.h"

namespace ana::view {

namespace {

// The events of one stream. A message that raced is named by its channel, which the stream has told before.
class StreamReader {
 public:
  StreamReader(Picture& picture, Lane& lane, const std::vector<uint32_t>& first_lane)
      : picture_(picture), lane_(lane), first_lane_(first_lane) {}

  bool read(const RankStream& stream) {
    const uint8_t* end = stream.bytes.data() + stream.bytes.size();
    RankDecoder decoder;
    RankEvent event;
    for (const uint8_t* at = stream.bytes.data(); at < end;) {
      at = decoder.get(at, end, event);
      if (at == nullptr || !add(event)) return false;
    }
    return true;
  }

 private:
  bool add(const RankEvent& e) {
    switch (e.kind) {
      case EventKind::kMatch:
        tag_ += e.tag;
        message(e.value, "message", tag_, e.has_tag);
        return true;
      case EventKind::kMatchAt:
        tag_ += e.tag;
        message(e.value, "message", tag_, e.tag != 0);
        return true;
      case EventKind::kTraced:
        return traced(e);
      case EventKind::kUnmatched:
        if (e.value >= std::size(unmatched_)) return false;
        answer("never matched", unmatched_[e.value] += e.number);
        return true;
      case EventKind::kOutcome:
        answer("outcome", static_cast<int64_t>(e.value));
        return true;
      case EventKind::kNo:
        answer("answers of no", static_cast<int64_t>(e.value));
        return true;
      case EventKind::kTime:
        answer("time, 100 ns later", unzigzag(e.value));
        return true;
      case EventKind::kEnd:
        put(Kind::kThread, "end", static_cast<int64_t>(e.value));
        return true;
      default:
        return true;  // checks and turns, which only replay cares about
    }
  }

  bool traced(const RankEvent& e) {
    const TracedChannel* channel = channels_.of(e);
    if (channel == nullptr) return false;
    message(static_cast<uint64_t>(channel->source), "message that raced", channel->tag, true);
    return true;
  }

  // A tag is told only if the receive does not name it and it is not that of the message before.
  void message(uint64_t source, const char* what, int64_t tag, bool told) {
    Event& event = put(Kind::kMessage, what, tag);
    event.note = picture_.texts.add(
        fmt::format("from rank {}, tag {}{}", source, tag, told ? "" : " unless the receive names another"));
    if (source >= first_lane_.size()) return;
    event.from_lane = first_lane_[source];
    event.from_index = kSomewhere;
  }
  void answer(const char* what, int64_t result) { put(Kind::kAnswer, what, result); }

  Event& put(Kind kind, const char* what, int64_t result) {
    Event event;
    event.count = lane_.events.size() + 1;
    event.kind = kind;
    event.what = picture_.texts.add(what);
    event.result = result;
    lane_.events.push_back(event);
    return lane_.events.back();
  }

  Picture& picture_;
  Lane& lane_;
  const std::vector<uint32_t>& first_lane_;  // by rank
  int64_t tag_ = 0;
  int64_t unmatched_[3] = {};  // by RequestClass: the last number
  TracedChannels channels_;
};

// All ranks of a job run from its beginning to its end, however few of their calls are in the trace.
void stretch(Picture& picture) {
  size_t longest = 0;
  for (const Lane& lane : picture.lanes) longest = std::max(longest, lane.events.size());
  for (Lane& lane : picture.lanes) {
    if (lane.events.size() > 1)
      lane.stretch = static_cast<double>(longest) / static_cast<double>(lane.events.size() - 1);
  }
}

bool is_thread(const RankStream& stream) { return stream.stream < kMaxStreams; }

}  // namespace

Status add_ranks(const std::vector<RankTrace>& ranks, Picture& picture) {
  std::vector<uint32_t> first_lane;
  uint32_t lanes = static_cast<uint32_t>(picture.lanes.size());
  for (const RankTrace& rank : ranks) {
    first_lane.push_back(lanes);
    uint32_t threads = 0;
    for (const RankStream& stream : rank.streams) threads += is_thread(stream);
    lanes += threads == 0 ? 1 : threads;
  }
  for (const RankTrace& rank : ranks) {
    size_t before = picture.lanes.size();
    for (const RankStream& stream : rank.streams) {
      if (!is_thread(stream)) continue;
      Lane lane;
      lane.thread = stream.stream;
      lane.rank = rank.rank;
      lane.name = stream.stream == 0 ? fmt::format("rank {}", rank.rank)
                                     : fmt::format("rank {} stream {}", rank.rank, stream.stream);
      if (!StreamReader(picture, lane, first_lane).read(stream))
        return Error{fmt::format("the stream of rank {} is damaged; `anaphora verify` says where", rank.rank)};
      picture.lanes.push_back(std::move(lane));
    }
    if (picture.lanes.size() > before) continue;
    Lane empty;
    empty.rank = rank.rank;
    empty.name = fmt::format("rank {}", rank.rank);
    picture.lanes.push_back(std::move(empty));
  }
  stretch(picture);
  return {};
}

}  // namespace ana::view
