// What replay needs, laid out for the program to use without decoding: one file, mapped read-only.
//
//   ScheduleHeader, then for each slot three arrays at the offsets that its SlotSchedule gives:
//   ScheduledEdge[]     the slot's sinks, in order
//   Publication[]       where the slot must let others pass; derived from everybody's sinks
//   ScheduledValue[]    each followed by its bytes, padded to 8; the last has op kNoMoreValues
//
// Made by load_schedule() from the streams; read by the runtime. Freestanding.
#pragma once
#include <stdint.h>

namespace ana {

constexpr uint64_t kScheduleMagic = 0x656c756465686373ull;  // "schedule"
constexpr uint32_t kNoMoreValues = 0xffffffffu;

struct ScheduledEdge {
  uint64_t count;        // wait at exactly this count ...
  uint64_t site;         // ... and this site
  uint32_t source;       // until this slot ...
  uint32_t publication;  // ... has passed this many of its publications
};
static_assert(sizeof(ScheduledEdge) == 24);

// Passed when the slot's count exceeds `count` and it has taken `edges` of its edges; may be late, never early.
struct Publication {
  uint64_t count;
  uint64_t edges;
};
static_assert(sizeof(Publication) == 16);

struct ScheduledValue {
  uint64_t count;
  uint32_t op;
  uint32_t length;
  int64_t result;
};
static_assert(sizeof(ScheduledValue) == 24);

// Traces of Lamport algorithms: the time of a count; at every count after it, one more.
struct LamportJump {
  uint64_t count, time;
};
static_assert(sizeof(LamportJump) == 16);

// The trace of a forked child: here the thread of the slot was when another one forked, and the child does not have it. What
// follows in the slot's arrays belongs to a thread that the child created.
struct ForkCut {
  uint64_t count, site;    // as SlotSchedule.final_count and so on
  uint64_t blocked;
  uint64_t edges;          // of the slot's before the cut
  uint64_t values_after;   // offset in the file of its first value after the cut; before it stands a kNoMoreValues
};
static_assert(sizeof(ForkCut) == 40);

// Of final_site: a slot that ran on had done what is at the site, and is not to make the accesses behind it.
constexpr uint64_t kBehind = uint64_t{1} << 63;

struct SlotSchedule {
  uint64_t edges_offset, edges;
  uint64_t publications_offset, publications;
  uint64_t values_offset, values_bytes;
  uint64_t final_count;   // the slot stops here if it did not end by itself; ~0 if it did
  uint64_t final_site;    // ... at this site, or with kBehind at the first one behind it (0: the first of the count); else 0
  uint64_t times_offset, times;
  uint64_t versions_offset, versions_bytes;  // of trace-all: what each event logged, one after the other
  uint64_t consumers_offset;  // uint32_t[publications], of traces without write-after-read edges: edges that name each
  uint64_t signals_offset, signals;  // uint64_t[]: the counts at which the slot enters handlers of signals
  uint64_t cuts_offset, cuts;  // ForkCut[]
  uint64_t final_blocked; // ... inside an operation that began at this count and did not come to its end
  uint64_t crash_count;   // it crashed at this count, or some counts later in a loop; ~0 if it did not
};

struct ScheduleHeader {
  uint64_t magic;
  uint32_t version;       // kStreamVersion
  uint32_t slots;
  uint64_t bytes;
  uint64_t steps;         // offset of a StepTable if the replay is followed instruction by instruction, else 0
  uint64_t translation;   // offset of a Translation if the program's code is followed by one, else 0
  SlotSchedule slot[];
};

}  // namespace ana
