#include <fmt/format.h>

#include <algorithm>

#include "trace/contents_file.h"
#include "trace/rank_format.h"

namespace ana {

namespace {

// Walks over the records of a stream, which do not end where pieces do.
class RecordWalk {
 public:
  RecordWalk(ContentsReader& contents, uint32_t stream) : contents_(contents), stream_(stream) {}

  // False: the stream ends here, which is within a record if `inside`.
  Result<bool> next(bool& inside) {
    inside = false;
    uint8_t kind = 0, call = 0;
    uint64_t numbers = 0, value = 0, bytes = 0;
    if (!byte(kind)) return ended();
    inside = true;
    if (!byte(call) || !varint(numbers)) return ended();
    if (kind == 0 || kind > kLastContentKind) return Error{fmt::format("a record is of the unknown kind {}", kind)};
    for (uint64_t i = 0; i < numbers; i++) {
      if (!varint(value)) return ended();
    }
    if (!varint(bytes) || !skip(bytes)) return ended();
    return true;
  }

 private:
  Result<bool> ended() {
    if (error_) return *error_;
    return false;
  }
  bool fill() {
    while (at_ == piece_.size()) {
      auto piece = contents_.next(stream_);
      if (!piece) error_ = piece.error();
      if (!piece || piece->empty()) return false;
      piece_ = std::move(*piece);
      at_ = 0;
    }
    return true;
  }
  bool byte(uint8_t& to) {
    if (!fill()) return false;
    to = piece_[at_++];
    return true;
  }
  bool varint(uint64_t& value) {
    value = 0;
    uint8_t b = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      if (!byte(b)) return false;
      value |= static_cast<uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return true;
    }
    error_ = Error{"a number has no end"};
    return false;
  }
  bool skip(uint64_t n) {
    while (n > 0) {
      if (!fill()) return false;
      uint64_t step = std::min<uint64_t>(n, piece_.size() - at_);
      at_ += step;
      n -= step;
    }
    return true;
  }

  ContentsReader& contents_;
  uint32_t stream_;
  std::vector<uint8_t> piece_;
  size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Status check_contents(ContentsReader& contents, bool cut) {
  for (uint32_t stream : contents.streams()) {
    if (stream >= kMaxStreams) return Error{fmt::format("it has a stream {}, which cannot be", stream)};
    RecordWalk walk(contents, stream);
    for (;;) {
      bool inside = false;
      auto more = walk.next(inside);
      if (!more) return Error{fmt::format("stream {}: {}", stream, more.error().text)};
      if (*more) continue;
      if (inside && !cut) return Error{fmt::format("stream {} ends in the middle of a record", stream)};
      break;
    }
  }
  return {};
}

}  // namespace ana
