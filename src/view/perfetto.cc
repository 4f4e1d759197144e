#include "view/perfetto.h"

#include <fmt/format.h>

#include <iterator>

namespace ana::view {

namespace {

constexpr double kMiddle = 0.5;  // of an event's slice: where its flows begin and end

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
 public:
  explicit Writer(const Picture& picture) : picture_(picture) {}

  std::string run() {
    out_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":" + about() + ",\"traceEvents\":[";
    for (uint32_t i = 0; i < picture_.lanes.size(); i++) name_lane(i);
    for (uint32_t i = 0; i < picture_.lanes.size(); i++) {
      const Lane& lane = picture_.lanes[i];
      if (lane.events.empty()) continue;
      uint64_t first = lane.events.front().at, last = lane.events.back().at;
      add("{{\"ph\":\"X\",\"name\":{},\"cat\":\"lane\",\"ts\":{},\"dur\":{},{}}}", in_json(lane.name), first,
          last - first + 1, where(i));
      for (const Event& event : lane.events) slice(i, event);
    }
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    out_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  std::string about() const {
    nlohmann::json all = picture_.about;
    all.erase("rank_places");
    all["time"] = "The recording has no clock: a microsecond is a place in an order of all events.";
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  int64_t process_of(uint32_t lane) const { return picture_.lanes[lane].rank + 2; }  // not 0, which some readers hide
  std::string where(uint32_t lane) const { return fmt::format("\"pid\":{},\"tid\":{}", process_of(lane), lane + 1); }

  void name_lane(uint32_t i) {
    const Lane& lane = picture_.lanes[i];
    std::string process = fmt::format("rank {}", lane.rank);
    if (lane.rank < 0) process = picture_.about.value("command", "program");
    add("{{\"ph\":\"M\",\"name\":\"process_name\",{},\"args\":{{\"name\":{}}}}}", where(i), in_json(process));
    add("{{\"ph\":\"M\",\"name\":\"thread_name\",{},\"args\":{{\"name\":{}}}}}", where(i), in_json(lane.name));
    add("{{\"ph\":\"M\",\"name\":\"thread_sort_index\",{},\"args\":{{\"sort_index\":{}}}}}", where(i), i);
  }

  std::string title(const Event& event) const {
    const Place& place = picture_.places[event.place];
    if (event.place != 0 && !place.file.empty())
      return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
    if (event.place != 0) return place.function;
    return event.what != 0 ? picture_.texts.all()[event.what] : name_of(event.kind);
  }

  void slice(uint32_t lane, const Event& event) {
    nlohmann::json args = {{"event", fmt::format("{}:{}", picture_.lanes[lane].thread, event.count)}};
    const Place& place = picture_.places[event.place];
    if (!place.function.empty()) args["function"] = place.function;
    if (!place.file.empty()) args["place"] = fmt::format("{}:{}", place.file, place.line);
    if (!place.source.empty()) args["source"] = place.source;
    if (event.kind >= Kind::kCall) args["result"] = event.result;
    if (event.note != 0) args["with"] = picture_.texts.all()[event.note];
    add("{{\"ph\":\"X\",\"name\":{},\"cat\":{},\"ts\":{},\"dur\":1,{},\"args\":{}}}", in_json(title(event)),
        in_json(name_of(event.kind)), event.at, where(lane),
        args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (event.from_lane != kNoLane) flow(lane, event);
  }

  // Flows hang on slices. Where that of a message's sending is unknown, it gets one at the moment of its receipt.
  void flow(uint32_t lane, const Event& event) {
    uint64_t from = event.at;
    if (event.from_index == kSomewhere) {
      add("{{\"ph\":\"X\",\"name\":\"message sent, at some time before\",\"cat\":\"message\",\"ts\":{},\"dur\":1,{}}}",
          from, where(event.from_lane));
    } else {
      from = picture_.lanes[event.from_lane].events[event.from_index].at;
    }
    const char* name = event.kind == Kind::kMessage ? "message" : event.kind == Kind::kThread ? "create" : "came after";
    flows_++;
    add("{{\"ph\":\"s\",\"name\":\"{}\",\"cat\":\"order\",\"id\":{},\"ts\":{},{}}}", name, flows_,
        static_cast<double>(from) + kMiddle, where(event.from_lane));
    add("{{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"{}\",\"cat\":\"order\",\"id\":{},\"ts\":{},{}}}", name, flows_,
        static_cast<double>(event.at) + kMiddle, where(lane));
  }

  const Picture& picture_;
  std::string out_;
  bool is_first_ = true;
  uint64_t flows_ = 0;
};

}  // namespace

std::string to_perfetto(const Picture& picture) { return Writer(picture).run(); }

}  // namespace ana::view
