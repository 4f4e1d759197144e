// The events in the stream of a rank, and how they are written. Each begins with a varint, payload << 2 | kind:
//
//   0 match     a receive, the one posted after the last that matched: source << 1 | 1 if a tag follows (signed,
//               difference to the last tag so written; only of receives of any tag)
//   1 outcome   of a call that completes requests or probes: a number
//   2 no        << 1: so many calls in a row whose answer was no
//     repeat    << 1 | 1, payload below kRecent: an event of the same bytes as a recent one, see RecentEvents
//     traced    << 1 | 1: (payload less kRecent) a message that raced, see pack_traced()
//   3 other     kind in the next three bits of the payload, rest: x
//
// Programs do the same again and again, so numbers are differences and events repeat: most take a byte. RankEncoder and
// RankDecoder know what a stream has told so far.
//
// A posted receive has a number, counted from 0 over those that the mode records; the loader gives each the match that
// replay posts it with. Signed numbers are zigzag coded. Freestanding: written inside the recorded program.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/stream_format.h"

namespace ana {

enum class EventKind : uint8_t {
  kMatch = 0,
  kOutcome = 1,
  kNo = 2,
  kCheck = 3,      // x: calls since the last check; a byte of the hash over all calls so far
  kMatchAt = 4,    // x: source; number (difference to the expected one), tag (as in a match; 0: it is named, or the last)
  kUnmatched = 5,  // x: RequestClass; number of the request that was never matched (cancelled or left), less that of the
                   // last such event of its class
  kTime = 6,       // x: difference of the time in units of kTimeUnit, zigzag
  kEnd = 7,        // x: calls; then 4 bytes of hash
  kTraced = 8,     // a message that raced, if it does not fit into the short form; x: its channel, or, of the first one of
                   // a channel, its lane (communicator and source), or, of the first one of a lane, the source in
                   // MPI_COMM_WORLD; number of the receive (difference, zigzag) << 4 | 8 if it is the first of its
                   // communicator | 4 if it named its source | 2 if it is the first of its channel | 1 of its lane; index;
                   // first of a channel: tag, less the last one so told of its lane, or of all if there is none; first
                   // of a lane: how many communicators have come up since its own, or, if it is new, the two halves
                   // of its id, the second less that of the communicator before. See traced_channels.h
  kTurn = 9,       // x: the thread's operations (src/mpi/turns.h) since the last one told; its turn, less the one after
                   // the turn of its last operation
  kThread = 10,    // x: lineage of the thread; first in every stream but 0
  kReceived = 11,  // x: source in MPI_COMM_WORLD + 1; communicator, tag, index: so many messages of this channel were
                   // received. x is 0: messages of the communicator that no such event tells of were not received
};
constexpr uint32_t kPlainKinds = 3;  // kinds below stand in the first two bits
constexpr uint32_t kRareKinds = 10;  // kinds from here on share the last number of three bits; the lowest of x tells which
constexpr double kTimeUnit = 1e-7;   // seconds

enum class RequestClass : uint32_t { kWildcard = 0, kNamed = 1, kSend = 2 };

struct RankEvent {
  EventKind kind;
  uint8_t check = 0;
  bool has_tag = false;   // match; traced: the first of its channel
  bool named = false;     // traced
  bool new_lane = false;  // traced: the first of its lane
  bool new_communicator = false;  // traced, with new_lane
  uint64_t value = 0;     // source, outcome, count, x
  int64_t number = 0;     // difference
  int64_t tag = 0;        // difference, itself in kReceived
  uint64_t index = 0;     // traced: in its channel, less that of the last one traced there
  uint64_t communicator = 0;  // traced, with new_lane: how many came up since, or the high half of the new one's id
  int64_t low = 0;            // traced, with new_communicator: the low half, less that of the one before
  uint32_t hash = 0;
};

constexpr size_t kMaxEventBytes = 64;
constexpr uint32_t kRecent = 16;  // as many as a repeat in one byte can tell apart

inline uint8_t* append_varint(uint8_t* to, uint64_t v) { return to + put_varint(to, v); }

// Null at the end of the bytes or if it is too long.
inline const uint8_t* get_varint(const uint8_t* at, const uint8_t* end, uint64_t& v) {
  v = 0;
  for (uint32_t shift = 0; at != nullptr && at < end && shift < 64; shift += 7) {
    v |= static_cast<uint64_t>(*at & 0x7f) << shift;
    if ((*at++ & 0x80) == 0) return at;
  }
  return nullptr;
}

// The short form of a traced message. Most come next in their channel, after a receive or two of messages that did not
// race: then the zeros at the end tell how many receives lie between. Else two bits of three numbers in turn: of the
// channel, of how many receives, and of how many messages of the channel lie between; or of the lane, how many receives,
// and the tag, for the first message of a channel.
constexpr uint64_t kMaxShort = 1 << 16;
constexpr uint32_t kNear = 3, kNewChannel = kNear + 1;

inline bool fits_short(const RankEvent& e) {
  if (e.named || e.new_lane || e.value >= kMaxShort || e.number < 0 || e.number >= static_cast<int64_t>(kMaxShort))
    return false;
  return e.has_tag ? e.index == 1 && zigzag(e.tag) < kMaxShort : e.index - 1 < kMaxShort;
}

inline uint64_t pack_traced(const RankEvent& e) {
  uint64_t number = static_cast<uint64_t>(e.number), third = e.has_tag ? zigzag(e.tag) : e.index - 1;
  if (third == 0 && !e.has_tag && number < kNear) return e.value << (number + 1) | uint64_t{1} << number;
  uint64_t all = 0;
  for (uint32_t i = 0; i < 8; i++)
    all |= ((e.value >> 2 * i & 3) | (number >> 2 * i & 3) << 2 | (third >> 2 * i & 3) << 4) << 6 * i;
  uint32_t zeros = e.has_tag ? kNewChannel : kNear;
  return all << (zeros + 1) | uint64_t{1} << zeros;
}

inline bool unpack_traced(uint64_t packed, RankEvent& e) {
  uint32_t zeros = packed == 0 ? kNewChannel + 1 : static_cast<uint32_t>(__builtin_ctzll(packed));
  if (zeros > kNewChannel) return false;
  uint64_t all = packed >> (zeros + 1), value = 0, number = 0, third = 0;
  for (uint32_t i = 0; i < 8; i++) {
    value |= (all >> 6 * i & 3) << 2 * i;
    number |= (all >> (6 * i + 2) & 3) << 2 * i;
    third |= (all >> (6 * i + 4) & 3) << 2 * i;
  }
  bool near = zeros < kNear;
  e.has_tag = zeros == kNewChannel;
  e.value = near ? all : value;
  e.number = near ? zeros : static_cast<int64_t>(number);
  e.index = near || e.has_tag ? 1 : third + 1;
  e.tag = e.has_tag ? unzigzag(third) : 0;
  return true;
}

// The event by itself, at most kMaxEventBytes.
inline uint8_t* put_event(uint8_t* to, const RankEvent& e) {
  uint64_t payload = e.value;
  if (e.kind == EventKind::kMatch) payload = payload << 1 | (e.has_tag ? 1 : 0);
  if (e.kind == EventKind::kNo) payload = payload << 1;
  if (e.kind == EventKind::kTraced && fits_short(e))
    return append_varint(to, ((pack_traced(e) + kRecent) << 1 | 1) << 2 | static_cast<uint32_t>(EventKind::kNo));
  uint32_t kind = static_cast<uint32_t>(e.kind);
  if (kind >= kRareKinds) {
    payload = payload << 1 | (kind - kRareKinds);
    kind = kRareKinds;
  }
  to = append_varint(to, kind < kPlainKinds ? payload << 2 | kind : payload << 5 | (kind - kPlainKinds) << 2 | 3);
  switch (e.kind) {
    case EventKind::kMatch:
      return e.has_tag ? append_varint(to, zigzag(e.tag)) : to;
    case EventKind::kCheck:
      *to++ = e.check;
      return to;
    case EventKind::kMatchAt:
      return append_varint(append_varint(to, zigzag(e.number)), zigzag(e.tag));
    case EventKind::kUnmatched:
    case EventKind::kTurn:
      return append_varint(to, zigzag(e.number));
    case EventKind::kEnd:
      memcpy(to, &e.hash, sizeof e.hash);
      return to + sizeof e.hash;
    case EventKind::kTraced:
      to = append_varint(to, zigzag(e.number) << 4 | (e.new_communicator ? 8 : 0) | (e.named ? 4 : 0) |
                                 (e.has_tag ? 2 : 0) | (e.new_lane ? 1 : 0));
      to = append_varint(to, e.index);
      if (e.has_tag) to = append_varint(to, zigzag(e.tag));
      if (e.new_lane) to = append_varint(to, e.communicator);
      return e.new_communicator ? append_varint(to, zigzag(e.low)) : to;
    case EventKind::kReceived:
      return append_varint(append_varint(append_varint(to, e.communicator), zigzag(e.tag)), e.index);
    default:
      return to;
  }
}

// The place after the event; null if there is no whole one, or if it is a repeat.
inline const uint8_t* get_event(const uint8_t* at, const uint8_t* end, RankEvent& e) {
  uint64_t head = 0, v = 0;
  e = RankEvent{};
  if ((at = get_varint(at, end, head)) == nullptr) return nullptr;
  bool plain = (head & 3) < kPlainKinds;
  e.kind = static_cast<EventKind>(plain ? head & 3 : kPlainKinds + (head >> 2 & 7));
  e.value = plain ? head >> 2 : head >> 5;
  if (static_cast<uint32_t>(e.kind) == kRareKinds) {
    e.kind = static_cast<EventKind>(kRareKinds + (e.value & 1));
    e.value >>= 1;
  }
  switch (e.kind) {
    case EventKind::kMatch:
      e.has_tag = (e.value & 1) != 0;
      e.value >>= 1;
      if (e.has_tag && (at = get_varint(at, end, v)) != nullptr) e.tag = unzigzag(v);
      return at;
    case EventKind::kNo:
      if ((e.value & 1) != 0) {
        e.kind = EventKind::kTraced;
        return e.value >> 1 >= kRecent && unpack_traced((e.value >> 1) - kRecent, e) ? at : nullptr;
      }
      e.value >>= 1;
      return at;
    case EventKind::kCheck:
      if (at >= end) return nullptr;
      e.check = *at;
      return at + 1;
    case EventKind::kMatchAt:
      if ((at = get_varint(at, end, v)) != nullptr) e.number = unzigzag(v);
      if ((at = get_varint(at, end, v)) != nullptr) e.tag = unzigzag(v);
      return at;
    case EventKind::kUnmatched:
    case EventKind::kTurn:
      if ((at = get_varint(at, end, v)) != nullptr) e.number = unzigzag(v);
      return at;
    case EventKind::kEnd:
      if (static_cast<size_t>(end - at) < sizeof e.hash) return nullptr;
      memcpy(&e.hash, at, sizeof e.hash);
      return at + sizeof e.hash;
    case EventKind::kTraced:
      if ((at = get_varint(at, end, v)) != nullptr) e.number = unzigzag(v >> 4);
      e.new_lane = (v & 1) != 0;
      e.has_tag = (v & 2) != 0;
      e.named = (v & 4) != 0;
      e.new_communicator = (v & 8) != 0;
      at = get_varint(at, end, e.index);
      if (e.has_tag && (at = get_varint(at, end, v)) != nullptr) e.tag = unzigzag(v);
      if (e.new_lane) at = get_varint(at, end, e.communicator);
      if (e.new_communicator && (at = get_varint(at, end, v)) != nullptr) e.low = unzigzag(v);
      return at;
    case EventKind::kReceived:
      at = get_varint(at, end, e.communicator);
      if ((at = get_varint(at, end, v)) != nullptr) e.tag = unzigzag(v);
      return get_varint(at, end, e.index);
    default:
      return at;
  }
}

// The last different events of a stream that took more than a byte, the latest first; as bytes, which no event begins
// with those of another, so zeros may follow.
class RecentEvents {
 public:
  // Null: there are not so many.
  const uint8_t* at(uint32_t i) const { return i < count_ ? events_[i].bytes : nullptr; }
  void use(uint32_t i) {
    Event event = events_[i];
    memmove(&events_[1], &events_[0], i * sizeof(Event));
    events_[0] = event;
  }
  // Its place, kRecent if it is not among them; it is now.
  uint32_t add(const uint8_t* bytes, size_t size) {
    Event event{};
    memcpy(event.bytes, bytes, size);
    // Those before it move back by one as they are passed.
    Event passed = event;
    for (uint32_t i = 0; i < count_; i++) {
      Event here = events_[i];
      events_[i] = passed;
      if (memcmp(here.bytes, event.bytes, kBytes) == 0) return i;
      passed = here;
    }
    if (count_ < kRecent) events_[count_++] = passed;
    return kRecent;
  }
  static bool keeps(EventKind kind, size_t size) {
    return size > 1 && size <= kBytes &&
           (kind < EventKind::kCheck || kind == EventKind::kMatchAt || kind == EventKind::kUnmatched ||
            kind == EventKind::kTraced || kind == EventKind::kTurn);
  }
  static constexpr size_t kBytes = 16;

 private:
  struct Event {
    uint8_t bytes[kBytes];
  };
  Event events_[kRecent] = {};
  uint32_t count_ = 0;
};

constexpr uint8_t kRepeatBits = 6, kRepeatMask = 0x87;  // of the only byte of a repeat; the others tell which

class RankEncoder {
 public:
  // As put_event(), or shorter.
  uint8_t* put(uint8_t* to, const RankEvent& e) {
    uint8_t* end = put_event(to, e);
    size_t size = static_cast<size_t>(end - to);
    if (!RecentEvents::keeps(e.kind, size)) return end;
    uint32_t place = recent_.add(to, size);
    if (place == kRecent) return end;
    *to = static_cast<uint8_t>(place << 3 | kRepeatBits);
    return to + 1;
  }

 private:
  RecentEvents recent_;
};

class RankDecoder {
 public:
  // The place after the event; null if there is no whole one.
  const uint8_t* get(const uint8_t* at, const uint8_t* end, RankEvent& e) {
    if (at < end && (*at & kRepeatMask) == kRepeatBits) {
      uint32_t place = *at >> 3;
      const uint8_t* event = recent_.at(place);
      if (event == nullptr) return nullptr;
      get_event(event, event + RecentEvents::kBytes, e);
      recent_.use(place);
      return at + 1;
    }
    const uint8_t* next = get_event(at, end, e);
    if (next == nullptr) return nullptr;
    size_t size = static_cast<size_t>(next - at);
    if (RecentEvents::keeps(e.kind, size)) recent_.add(at, size);
    return next;
  }

 private:
  RecentEvents recent_;
};

}  // namespace ana
