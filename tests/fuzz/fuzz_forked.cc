// The trace of a forked child, and that of its parent: the first byte says how many slots there were and which one forked, then
// come the points where they were, then the streams of parent and child, whose frames are intact.
#include <algorithm>
#include <filesystem>

#include "scratch.h"
#include "trace/child_traces.h"
#include "trace/load_schedule.h"
#include "trace/trace_reader.h"

using namespace ana;

namespace {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  uint8_t byte() { return at_ < end_ ? *at_++ : 0; }
  uint64_t number() {
    uint64_t low = byte();
    return low | uint64_t{byte()} << 8;
  }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  std::vector<uint8_t> take(size_t size) {
    const uint8_t* from = at_;
    at_ += std::min(size, left());
    return {from, at_};
  }

 private:
  const uint8_t *at_, *end_;
};

ForkPoint point_of(Bytes& from) {
  ForkPoint point{};
  point.logged = from.number();
  point.last_count = from.number();
  point.count = from.number();
  point.wait_site = from.byte();
  uint8_t how = from.byte();
  point.state = how & 7;
  point.alive = how >> 3 & 1;
  return point;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes from(data, size);
  uint8_t first = from.byte();
  uint32_t slots = 1 + first % 4;
  ForkOrigin origin{(first & 128) != 0 ? ".." : "../..", first / 4 % 4u, {}};
  for (uint32_t i = 0; i < slots; i++) origin.points.push_back(point_of(from));
  TraceContents parent, child;
  child.has_end = (first & 16) != 0;
  child.forked = origin;
  size_t each = from.left() / (2 * slots);
  for (TraceContents* contents : {&parent, &child})
    for (uint32_t i = 0; i < slots; i++) contents->streams.push_back(from.take(each));
  std::string path = scratch() / "trace", name = child_trace(path, "1");
  std::filesystem::remove_all(path);
  write_trace(path, parent);
  std::filesystem::create_directories(std::filesystem::path(name).parent_path());
  write_trace(name, child);
  auto reader = TraceReader::open(name);
  if (!reader) return 0;
  for (uint32_t i = 0; i < reader->slots(); i++) {
    StreamCursor cursor = reader->stream(i);
    for (auto action = cursor.next(); action && *action; action = cursor.next()) {
    }
  }
  auto schedule = load_schedule(*reader);
  return 0;
}
