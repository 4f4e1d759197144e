// Adaptive binary range coding (Martin 1979; the carries as in Subbotin's and LZMA's coders): every decision has a model
// that says how likely a 1 is, and learns from what came. A decision takes about as many bits as it was surprising.
//
// Encoder and decoder have the same functions, so that one template can describe what is coded: both take the value, which
// the decoder ignores, and return it. Any bytes may be decoded: they give some values, and no more bytes are read than
// there are.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <vector>

namespace ana {

// The mean of two estimates, of which one is quick to learn and one remembers for long.
class BitModel {
 public:
  uint32_t chance_of_one() const { return (quick_ + slow_) >> 1; }  // of 2^16, never 0 and never all
  void learn(bool bit) {
    if (bit) {
      quick_ = static_cast<uint16_t>(quick_ + ((kTop - quick_) >> kQuick));
      slow_ = static_cast<uint16_t>(slow_ + ((kTop - slow_) >> slow_rate()));
    } else {
      quick_ = static_cast<uint16_t>(quick_ - ((quick_ - kBottom) >> kQuick));
      slow_ = static_cast<uint16_t>(slow_ - ((slow_ - kBottom) >> slow_rate()));
    }
    if (seen_ < kSlow) seen_++;
  }

 private:
  static constexpr uint32_t kQuick = 4, kSlow = 7;
  static constexpr uint32_t kBottom = 64, kTop = 65536 - kBottom;
  // At first it takes what it sees for typical.
  uint32_t slow_rate() const { return seen_ < 1 ? 1 : seen_; }

  uint16_t quick_ = 32768, slow_ = 32768;
  uint8_t seen_ = 0;
};

class BitEncoder {
 public:
  static constexpr bool kEncodes = true;
  explicit BitEncoder(std::vector<uint8_t>& to) : to_(to) {}

  bool bit(BitModel& model, bool value) {
    uint32_t bound = (range_ >> 16) * model.chance_of_one();
    if (value) {
      range_ = bound;
    } else {
      low_ += bound;
      range_ -= bound;
    }
    model.learn(value);
    while (range_ < kSmallest) shift();
    return value;
  }
  // `n` bits that are not worth a model, at most 64.
  uint64_t plain(uint32_t n, uint64_t value) {
    while (n > 0) {
      uint32_t step = n < 16 ? n : 16;
      n -= step;
      range_ >>= step;
      low_ += ((value >> n) & ((1u << step) - 1)) * range_;
      while (range_ < kSmallest) shift();
    }
    return value;
  }
  // After the last one.
  void finish() {
    // Of the numbers that say the same, that with most zeros at its end.
    for (uint32_t zeros = 31;; zeros--) {
      uint64_t last = (low_ + range_ - 1) >> zeros << zeros;
      if (last < low_) continue;
      low_ = last;
      break;
    }
    for (int i = 0; i < 5; i++) shift();
    // The decoder takes what is missing for zeros.
    while (to_.size() > begin_ && to_.back() == 0) to_.pop_back();
  }

 private:
  static constexpr uint32_t kSmallest = 1u << 24;

  // A byte that may still change by a carry waits, with the bytes 0xff behind it.
  void shift() {
    if (static_cast<uint32_t>(low_) < 0xff000000u || (low_ >> 32) != 0) {
      uint8_t carry = static_cast<uint8_t>(low_ >> 32);
      if (!first_) to_.push_back(static_cast<uint8_t>(waiting_ + carry));
      first_ = false;
      for (; waiting_ones_ > 0; waiting_ones_--) to_.push_back(static_cast<uint8_t>(0xff + carry));
      waiting_ = static_cast<uint8_t>(low_ >> 24);
    } else {
      waiting_ones_++;
    }
    low_ = (low_ & 0x00ffffffu) << 8;
    range_ <<= 8;
  }

  std::vector<uint8_t>& to_;
  size_t begin_ = to_.size();
  uint64_t low_ = 0;
  uint32_t range_ = 0xffffffffu;
  uint8_t waiting_ = 0;
  bool first_ = true;  // nothing waits yet
  uint64_t waiting_ones_ = 0;
};

class BitDecoder {
 public:
  static constexpr bool kEncodes = false;
  BitDecoder(const uint8_t* bytes, size_t size) : at_(bytes), end_(bytes + size) {
    for (int i = 0; i < 4; i++) code_ = code_ << 8 | next_byte();
  }

  bool bit(BitModel& model, bool) {
    uint32_t bound = (range_ >> 16) * model.chance_of_one();
    bool value = code_ < bound;
    if (value) {
      range_ = bound;
    } else {
      code_ -= bound;
      range_ -= bound;
    }
    model.learn(value);
    while (range_ < kSmallest) shift();
    return value;
  }
  uint64_t plain(uint32_t n, uint64_t) {
    uint64_t value = 0;
    while (n > 0) {
      uint32_t step = n < 16 ? n : 16;
      n -= step;
      range_ >>= step;
      uint32_t part = code_ / range_;
      // Only bytes that no encoder wrote get here with more.
      if (part > (1u << step) - 1) part = (1u << step) - 1;
      code_ -= part * range_;
      value = value << step | part;
      while (range_ < kSmallest) shift();
    }
    return value;
  }

 private:
  static constexpr uint32_t kSmallest = 1u << 24;
  uint8_t next_byte() { return at_ < end_ ? *at_++ : 0; }
  void shift() {
    code_ = code_ << 8 | next_byte();
    range_ <<= 8;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  uint32_t code_ = 0;
  uint32_t range_ = 0xffffffffu;
};

}  // namespace ana
