#include "trace/stream_decoder.h"

#include <fmt/format.h>

#include <limits>

#include "trace/schedule.h"
#include "trace/stream_format.h"

namespace ana {

// A position inside the window while a record is being read.
struct StreamDecoder::Field {
  const uint8_t* at;
  const uint8_t* end;
  bool short_of_bytes = false;
  bool overlong = false;

  uint64_t varint() {
    uint64_t value = 0;
    for (uint32_t i = 0; i < kMaxVarint; i++) {
      if (at == end) {
        short_of_bytes = true;
        return 0;
      }
      uint8_t byte = *at++;
      if (i == kMaxVarint - 1 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
    }
    overlong = true;
    return 0;
  }
  int64_t signed_varint() { return unzigzag(varint()); }
};

StreamDecoder::StreamDecoder() : sources_(kMaxSlots) {}

void StreamDecoder::feed(const uint8_t* bytes, size_t size) {
  window_.erase(window_.begin(), window_.begin() + static_cast<ptrdiff_t>(position_));
  dropped_ += position_;
  position_ = 0;
  window_.insert(window_.end(), bytes, bytes + size);
}

void StreamDecoder::restart() {
  dropped_ += window_.size();
  window_.clear();
  position_ = 0;
}

StreamDecoder::Outcome StreamDecoder::malformed(const char* what) {
  broken_ = true;
  problem_ = fmt::format("malformed record at stream offset {}: {}", offset(), what);
  return Outcome::kMalformed;
}

StreamDecoder::Outcome StreamDecoder::next(Action& action) {
  if (broken_) return Outcome::kMalformed;
  if (position_ == window_.size()) return Outcome::kNeedMore;
  if (ended_) return malformed("it stands after the end of the thread's stream");
  Field field{window_.data() + position_, window_.data() + window_.size()};
  uint64_t head = field.varint();
  if (field.overlong) return malformed("an integer is too long");
  if (field.short_of_bytes) return Outcome::kNeedMore;
  uint64_t delta = head >> 2;
  if (delta > std::numeric_limits<uint64_t>::max() - count_) return malformed("the event count overflows");
  switch (static_cast<RecordKind>(head & 3)) {
    case RecordKind::kEdge:
      return decode_edge(field, count_ + delta, action);
    case RecordKind::kValue:
      return decode_value(field, count_ + delta, action);
    case RecordKind::kVersions:
      return decode_versions(field, count_ + delta, action);
  }
  return malformed("unknown kind of record");
}

StreamDecoder::Outcome StreamDecoder::decode_edge(Field& field, uint64_t count, Action& action) {
  uint64_t site = site_ + static_cast<uint64_t>(field.signed_varint());
  uint64_t source = field.varint();
  uint64_t count_change = static_cast<uint64_t>(field.signed_varint());
  uint64_t edges_change = static_cast<uint64_t>(field.signed_varint());
  if (field.overlong) return malformed("an integer is too long");
  if (field.short_of_bytes) return Outcome::kNeedMore;
  if (source >= kMaxSlots) return malformed("an edge comes from a slot that cannot exist");
  Previous& previous = sources_[source];
  previous.count += count_change;
  previous.edges += edges_change;
  action = Edge{count, site, static_cast<uint32_t>(source), previous.count, previous.edges};
  count_ = count;
  site_ = site;
  position_ = static_cast<size_t>(field.at - window_.data());
  return Outcome::kAction;
}

StreamDecoder::Outcome StreamDecoder::decode_value(Field& field, uint64_t count, Action& action) {
  uint64_t op = field.varint();
  int64_t result = field.signed_varint();
  uint64_t length = field.varint();
  if (field.overlong) return malformed("an integer is too long");
  if (field.short_of_bytes) return Outcome::kNeedMore;
  if (op >= kNoMoreValues || op == kOpVersions) return malformed("unknown operation");
  if (length > kMaxValueBytes) return malformed("a value is too long");
  if (static_cast<uint64_t>(field.end - field.at) < length) return Outcome::kNeedMore;
  if (op == kOpEnd) {
    if (length != sizeof(StreamEnd)) return malformed("the end of a stream has the wrong size");
    ended_ = true;
  }
  action = Value{count, static_cast<uint32_t>(op), result, {field.at, static_cast<size_t>(length)}};
  count_ = count;
  position_ = static_cast<size_t>(field.at - window_.data()) + length;
  return Outcome::kAction;
}

StreamDecoder::Outcome StreamDecoder::decode_versions(Field& field, uint64_t count, Action& action) {
  uint64_t length = field.varint();
  if (field.overlong) return malformed("an integer is too long");
  if (field.short_of_bytes) return Outcome::kNeedMore;
  if (length > kMaxValueBytes) return malformed("a value is too long");
  if (static_cast<uint64_t>(field.end - field.at) < length) return Outcome::kNeedMore;
  // Replay reads varints from it without looking at its end.
  if (length == 0 || field.at[length - 1] >= 0x80) return malformed("versions that do not end");
  action = Value{count, kOpVersions, 0, {field.at, static_cast<size_t>(length)}};
  count_ = count;
  position_ = static_cast<size_t>(field.at - window_.data()) + length;
  return Outcome::kAction;
}

}  // namespace ana
