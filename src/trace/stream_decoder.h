// Turns the bytes of one slot's stream into actions. Fed piece by piece; holds no more than one record and one piece.
// Knows nothing of files. Any bytes may be fed: malformed ones give an error, never more than that.
#pragma once
#include <string>
#include <vector>

#include "trace/actions.h"
#include "trace/result.h"
#include "trace/session.h"

namespace ana {

// What the length in a ScheduledValue can say.
constexpr uint64_t kMaxValueBytes = 0xffffffffu;

class StreamDecoder {
 public:
  StreamDecoder();

  enum class Outcome { kAction, kNeedMore, kMalformed };

  void feed(const uint8_t* bytes, size_t size);
  // Drops what is left of an unfinished record.
  void restart();

  // `action` holds the next action if the outcome is kAction. Once malformed, it stays so.
  Outcome next(Action& action);

  uint64_t offset() const { return dropped_ + position_; }  // of the next record, in raw bytes
  uint64_t unfinished_bytes() const { return window_.size() - position_; }
  const std::string& problem() const { return problem_; }

 private:
  struct Field;
  Outcome malformed(const char* what);
  Outcome decode_edge(Field& at, uint64_t count, Action& action);
  Outcome decode_value(Field& at, uint64_t count, Action& action);
  Outcome decode_versions(Field& at, uint64_t count, Action& action);

  struct Previous {
    uint64_t count = 0;
    uint64_t edges = 0;
  };

  std::vector<uint8_t> window_;
  size_t position_ = 0;   // of the next record in window_
  uint64_t dropped_ = 0;  // raw bytes before window_
  uint64_t count_ = 0;
  uint64_t site_ = 0;
  bool ended_ = false;  // kOpEnd was seen
  bool broken_ = false;
  std::vector<Previous> sources_;
  std::string problem_;
};

}  // namespace ana
