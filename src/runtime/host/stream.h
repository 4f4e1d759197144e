// The calling thread's action stream: writing it while recording, taking values from the schedule while replaying.
#pragma once
#include "runtime/host/slot.h"
#include "trace/live_reference.h"

namespace ana {

// Record: the thread waited here for what `source` has published with these numbers.
void log_edge(Slot& slot, uint64_t site, uint32_t source, uint64_t source_count, uint64_t source_edges);

// Record: what trace-all says of the present event.
void log_versions(Slot& slot, const uint8_t* bytes, uint32_t length);

// Record: an input or outcome.
void put_value(Slot& slot, uint32_t op, int64_t result, const void* data = nullptr, uint32_t length = 0,
               const void* more_data = nullptr, uint32_t more_length = 0);

// Wakes the tool.
void ring_doorbell();

// Replay with --trace-all: into the ring, which replay does not need otherwise. Waits while the tool is behind.
void put_reference(Slot& slot, const LiveReference& reference);
// The same with what belongs to it (Told::kRun): at most kReferencesBytes.
void put_reference(Slot& slot, const LiveReference& reference, const CompactReference* run, uint64_t count);

// Replay: the next value, which must belong to `op` and to the present count; parks if the stream has ended.
const ScheduledValue* next_value(Slot& slot, uint32_t op);
inline const void* value_bytes(const ScheduledValue* value) { return value + 1; }
// The same, with the bytes copied out.
int64_t get_value(Slot& slot, uint32_t op, void* data = nullptr, uint32_t capacity = 0);
// The op of the next value, or kNoMoreValues.
uint32_t peek_op(const Slot& slot);
void go_to_value(Slot& slot, const char* at);
// The next value has this op and belongs to the present count.
bool next_is(const Slot& slot, uint32_t op);
bool next_is(const Slot& slot, uint32_t op, int64_t result);
// The same of the next operation, after so many counts, with this result.
bool will_get(const Slot& slot, uint32_t op, int64_t result, uint32_t counts_before);
// Whether the rest of the stream has a value with this op.
bool will_get_later(const Slot& slot, uint32_t op);
// It should have got one at a count that it has passed: it went another way.
bool has_passed_value(const Slot& slot);

}  // namespace ana
