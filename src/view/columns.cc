#include "view/columns.h"

#include <string.h>
#include <zlib.h>

#include "trace/stream_format.h"

namespace ana::view {

namespace {

constexpr uint32_t kFormat = 1;  // of the columns; the page refuses others

class Column {
 public:
  void varint(uint64_t value) {
    uint8_t buffer[kMaxVarint];
    bytes.insert(bytes.end(), buffer, buffer + put_varint(buffer, value));
  }
  void word(int64_t value) {
    uint8_t buffer[8];
    memcpy(buffer, &value, 8);
    bytes.insert(bytes.end(), buffer, buffer + 8);
  }
  std::vector<uint8_t> bytes;
};

struct Columns {
  Column kinds, counts, order, places, whats, notes, lanes, sources, results, sharing, addresses;

  void add(const Lane& lane, size_t lanes_in_all, bool with_sharing) {
    uint64_t count = 0, at = 0;
    std::vector<int64_t> last(lanes_in_all, 0);
    for (const Event& e : lane.events) {
      kinds.bytes.push_back(static_cast<uint8_t>(e.kind));
      counts.varint(e.count >= count ? e.count - count : 0);
      order.varint(e.at - at);
      count = std::max(count, e.count);
      at = e.at;
      places.varint(e.place);
      whats.varint(e.what);
      notes.varint(e.note);
      lanes.varint(e.from_lane == kNoLane ? 0 : uint64_t{e.from_lane} + 1);
      if (e.from_lane != kNoLane) {
        // 0 stands for "somewhere", so known ones are one more.
        bool known = e.from_index != kSomewhere;
        sources.varint(known ? zigzag(static_cast<int64_t>(e.from_index) - last[e.from_lane]) + 1 : 0);
        if (known) last[e.from_lane] = e.from_index;
      }
      if (e.kind > Kind::kGave) results.word(e.result);
      if (e.kind != Kind::kAccess || !with_sharing) continue;
      sharing.bytes.push_back(static_cast<uint8_t>(e.sharing));
      addresses.word(static_cast<int64_t>(e.address));
    }
  }

  // First those that must be aligned.
  std::vector<std::pair<const char*, const Column*>> all() const {
    return {{"results", &results}, {"addresses", &addresses}, {"kinds", &kinds}, {"counts", &counts},
            {"order", &order},     {"places", &places},       {"whats", &whats}, {"notes", &notes},
            {"lanes", &lanes},     {"sources", &sources},     {"sharing", &sharing}};
  }
};

nlohmann::json describe(const Picture& picture) {
  nlohmann::json out = {{"format", kFormat}, {"about", picture.about}, {"events", picture.events()}};
  out["texts"] = picture.texts.all();
  out["notes_left_out"] = picture.notes_left_out;
  out["lanes"] = nlohmann::json::array();
  for (const Lane& lane : picture.lanes) {
    out["lanes"].push_back(
        {{"name", lane.name}, {"thread", lane.thread}, {"rank", lane.rank}, {"events", lane.events.size()}});
  }
  out["places"] = nlohmann::json::array();
  for (const Place& p : picture.places) out["places"].push_back({p.file, p.line, p.column, p.function, p.source});
  return out;
}

}  // namespace

std::vector<uint8_t> to_columns(const Picture& picture) {
  Columns columns;
  for (const Lane& lane : picture.lanes) columns.add(lane, picture.lanes.size(), picture.has_sharing);
  nlohmann::json head = describe(picture);
  uint64_t offset = 0;
  for (auto [name, column] : columns.all()) {
    head["columns"][name] = {offset, column->bytes.size()};
    offset += column->bytes.size();
  }
  std::string json = head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  uint32_t bytes = static_cast<uint32_t>(json.size());
  std::vector<uint8_t> out(sizeof bytes);
  memcpy(out.data(), &bytes, sizeof bytes);
  out.insert(out.end(), json.begin(), json.end());
  out.resize((out.size() + 7) / 8 * 8);
  for (auto [name, column] : columns.all()) out.insert(out.end(), column->bytes.begin(), column->bytes.end());
  return out;
}

Result<std::vector<uint8_t>> compress(const std::vector<uint8_t>& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::vector<uint8_t> out(size);
  if (::compress2(out.data(), &size, bytes.data(), bytes.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
    return Error{"there is not enough memory to compress the picture"};
  out.resize(size);
  return out;
}

}  // namespace ana::view
