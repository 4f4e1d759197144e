#include "trace/stream_follower.h"

#include <algorithm>

#include "trace/stream_format.h"

namespace ana {

namespace {
constexpr uint8_t kEdgeFieldsAfterHead = 4;
}

void StreamFollower::feed(const uint8_t* bytes, size_t size) {
  for (size_t at = 0; at < size && state_ != State::kBroken;) at += step(bytes + at, size - at);
}

size_t StreamFollower::finish_record(const uint8_t* bytes, size_t size) {
  size_t at = 0;
  while (at < size && state_ != State::kBroken && !between_records()) at += step(bytes + at, size - at);
  return state_ == State::kBroken ? size : at;
}

// At least one byte, none of the next record.
size_t StreamFollower::step(const uint8_t* bytes, size_t size) {
  if (state_ == State::kBytes) {
    size_t taken = static_cast<size_t>(std::min<uint64_t>(bytes_left_, size));
    bytes_left_ -= taken;
    if (bytes_left_ == 0) record_done();
    return taken;
  }
  uint8_t byte = bytes[0];
  varint_ |= static_cast<uint64_t>(byte & 0x7f) << shift_;
  shift_ += 7;
  if (byte < 0x80) {
    uint64_t value = varint_;
    varint_ = 0;
    shift_ = 0;
    field_done(value);
  } else if (shift_ >= 7 * kMaxVarint) {
    state_ = State::kBroken;
  }
  return 1;
}

void StreamFollower::field_done(uint64_t value) {
  switch (state_) {
    case State::kHead:
      pending_count_ = count_ + (value >> 2);
      switch (static_cast<RecordKind>(value & 3)) {
        case RecordKind::kEdge:
          state_ = State::kEdgeFields;
          fields_left_ = kEdgeFieldsAfterHead;
          return;
        case RecordKind::kValue:
          state_ = State::kOp;
          return;
        case RecordKind::kVersions:
          state_ = State::kLength;
          return;
      }
      state_ = State::kBroken;
      return;
    case State::kEdgeFields:
      if (--fields_left_ == 0) record_done();
      return;
    case State::kOp:
      state_ = State::kResult;
      return;
    case State::kResult:
      state_ = State::kLength;
      return;
    case State::kLength:
      bytes_left_ = value;
      state_ = State::kBytes;
      if (value == 0) record_done();
      return;
    case State::kBytes:
    case State::kBroken:
      return;
  }
}

void StreamFollower::record_done() {
  if (state_ == State::kEdgeFields) {
    edges_++;
  } else {
    values_++;
  }
  count_ = pending_count_;
  state_ = State::kHead;
}

}  // namespace ana
