// What one thread of a rank has to do again in a replay: decoded once, when its first call comes, from the bytes that
// the tool hands over.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "trace/rank_events.h"
#include "trace/rank_link.h"

namespace ana::mpi {

struct Match {
  int32_t source = kUnknown;
  int32_t tag = 0;
  bool traced = false;  // came by the shadow of the communicator; the source is one of MPI_COMM_WORLD
  static constexpr int32_t kUnknown = -1;  // the recording does not say
  static constexpr int32_t kNever = -2;    // was cancelled, or is still waiting at the end
};

struct NumberedMatch {
  uint64_t number;
  Match match;
};

// A list that only grows; malloc'ed.
template <class T>
struct List {
  T* items = nullptr;
  size_t size = 0, room = 0;
  // Null: no memory.
  T* add(const T& item);
  T& operator[](size_t i) { return items[i]; }
};

struct Answer {
  enum Kind : uint8_t { kOutcome, kNo, kTime } kind;
  uint64_t value;
};
struct Check {
  uint64_t calls;
  uint8_t byte;
};
struct TurnAt {
  uint64_t operation;  // of the thread, from 0
  uint64_t turn;       // of the rank
};
// A receive whose message comes by the shadow of its communicator.
struct TracedReceive {
  uint64_t number, communicator;
  int32_t source, tag;  // the source is one of MPI_COMM_WORLD
};
struct Schedule {
  uint64_t calls = 0;  // that the recorded thread had begun
  bool inside = false;  // of the last of them
  bool ended = false;  // and it came to MPI_Finalize or to its end
  uint64_t end_calls = 0;
  uint32_t end_hash = 0;
  List<NumberedMatch> matches;  // in the order of their numbers
  List<Answer> answers;
  List<Check> checks;
  List<TracedReceive> traced[2];  // by RequestClass, in the order of their numbers
  List<int64_t> unmatched[3];  // by RequestClass, numbers in the order of completion
  List<TurnAt> turns;
  size_t next_answer = 0, next_check = 0, next_match = 0, next_traced = 0, next_turn = 0;

  // Asked for in order.
  Match match(uint64_t number);
  bool never(RequestClass kind, uint64_t number) const;
  // Of a receive that names its source, asked for in order.
  bool is_traced(uint64_t number);
  // False: the bytes are damaged.
  bool decode(const uint8_t* bytes, size_t size);
};

// The schedule of a stream; null if the recording has none.
bool map_schedule(int fd);
Schedule* load_schedule(uint32_t stream);
// Whether its thread has called MPI.
bool has_stream(uint32_t stream);
// Of the thread with this lineage (threads.h); kMaxStreams: none.
uint32_t find_stream(uint64_t lineage);
// The messages of this rank that raced.
const RankRacing* racing_messages(size_t& count);
const RankLimit* received_messages(size_t& count);

}  // namespace ana::mpi
