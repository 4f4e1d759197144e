// What decides which messages of a rank race, one fact for each that it received: `record --race-graph` writes them
// into stream kRaceFactStream of the rank's file, in the order in which the receives completed. Integers are varints:
//
//   order of posting less that of the last fact, zigzag, << 2 | 2 if of any tag | 1 if of any source
//   communicator, by its number in the rank
//   source in MPI_COMM_WORLD
//   tag, zigzag
//   of the receives of any source that were complete before, how many the sender did not know of
//
// Freestanding: written inside the recorded program.
#pragma once
#include "trace/rank_events.h"

namespace ana {

constexpr uint32_t kRaceFactStream = 0xfffffffd;

struct RaceFact {
  uint64_t order = 0;
  bool any_source = false, any_tag = false;
  uint32_t communicator = 0;
  int32_t source = 0, tag = 0;  // of the message
  uint64_t unknown = 0;
};

constexpr size_t kMaxRaceFactBytes = 50;  // five varints

// `last` is the order of the fact before.
inline uint8_t* put_race_fact(uint8_t* to, const RaceFact& fact, uint64_t last) {
  uint64_t wanted = (fact.any_tag ? 2 : 0) | (fact.any_source ? 1 : 0);
  to = append_varint(to, zigzag(static_cast<int64_t>(fact.order - last)) << 2 | wanted);
  to = append_varint(append_varint(to, fact.communicator), static_cast<uint64_t>(fact.source));
  return append_varint(append_varint(to, zigzag(fact.tag)), fact.unknown);
}

// The place after it; null if there is no whole one.
inline const uint8_t* get_race_fact(const uint8_t* at, const uint8_t* end, RaceFact& fact, uint64_t last) {
  uint64_t head, communicator, source, tag, unknown;
  at = get_varint(get_varint(get_varint(at, end, head), end, communicator), end, source);
  at = get_varint(get_varint(at, end, tag), end, unknown);
  if (at == nullptr) return nullptr;
  fact = {last + static_cast<uint64_t>(unzigzag(head >> 2)),
          (head & 1) != 0,
          (head & 2) != 0,
          static_cast<uint32_t>(communicator),
          static_cast<int32_t>(source),
          static_cast<int32_t>(unzigzag(tag)),
          unknown};
  return at;
}

}  // namespace ana
