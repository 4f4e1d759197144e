// Follows a stream while it is being recorded, as cheaply as can be: where the last whole record ended, at which count,
// and how many records there were. The recorder needs that to put the end of the stream behind it. One per slot.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ana {

class StreamFollower {
 public:
  void feed(const uint8_t* bytes, size_t size);
  // Feeds what is left of an unfinished record, and says how many bytes that were; all of them if it does not end there.
  size_t finish_record(const uint8_t* bytes, size_t size);
  // The stream continues another one, whose last record had this count.
  void begin_at(uint64_t count) { count_ = count; }

  bool valid() const { return state_ != State::kBroken; }
  bool between_records() const { return state_ == State::kHead && shift_ == 0; }
  uint64_t count() const { return count_; }  // of the last whole record
  uint64_t edges() const { return edges_; }
  uint64_t values() const { return values_; }

 private:
  enum class State : uint8_t { kHead, kEdgeFields, kOp, kResult, kLength, kBytes, kBroken };
  size_t step(const uint8_t* bytes, size_t size);
  void field_done(uint64_t value);
  void record_done();

  State state_ = State::kHead;
  uint8_t fields_left_ = 0;  // kEdgeFields
  uint32_t shift_ = 0;       // of the varint being read
  uint64_t varint_ = 0;
  uint64_t bytes_left_ = 0;  // kBytes
  uint64_t pending_count_ = 0;
  uint64_t count_ = 0;
  uint64_t edges_ = 0;
  uint64_t values_ = 0;
};

}  // namespace ana
