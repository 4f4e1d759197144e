#include "trace/stream_follower.h"

#include <algorithm>

#include "trace/stream_format.h"

namespace ana {

namespace {
constexpr uint8_t kEdgeFieldsAfterHead = 4;
}

void StreamFollower::feed(const uint8_t* bytes, size_t size) {
  size_t at = 0;
  while (at < size && state_ != State::kBroken) {
    if (state_ == State::kBytes) {
      uint64_t step = std::min<uint64_t>(bytes_left_, size - at);
      at += step;
      bytes_left_ -= step;
      if (bytes_left_ == 0) record_done();
      continue;
    }
    uint8_t byte = bytes[at++];
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
  }
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
