// The ring: the thread appends bytes, then makes them visible by advancing `head`; the tool copies them out and advances
// `tail`. A record becomes visible as a whole, unless it is larger than what the ring holds.
#include "runtime/host/stream.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/tracing.h"

namespace ana {

void ring_doorbell() {
  __atomic_add_fetch(&g_session->doorbell, 1, __ATOMIC_SEQ_CST);
  raw(SYS_futex, &g_session->doorbell, FUTEX_WAKE, 1);
}

namespace {

constexpr int kTriesUntilLook = 50;

char* ring_of(Slot& slot) { return reinterpret_cast<char*>(slot.shared) + kRingOffset; }

uint64_t look_at_tail(Slot& slot) {
  return slot.stream.seen_tail = __atomic_load_n(&slot.shared->tail, __ATOMIC_ACQUIRE);  // pairs with the tool's release
}

void commit(Slot& slot) {
  uint64_t before = slot.shared->head;
  __atomic_store_n(&slot.shared->head, slot.stream.head, __ATOMIC_RELEASE);  // pairs with the tool's acquire
  if (slot.stream.head - slot.stream.seen_tail < kRingBytes / 2) return;
  uint64_t tail = look_at_tail(slot);
  if (before - tail < kRingBytes / 2 && slot.stream.head - tail >= kRingBytes / 2) ring_doorbell();
}

// Nobody empties the rings of a forked child any more: it ends like a program that dies with the tool, and as there is no
// tool to tell it, says so itself.
void end_without_recorder() {
  constexpr char kWhy[] = "anaphora: the recorder of this process was killed, so it ends here; its trace replays up to that\n";
  uint32_t recorder = g_session->recorder;
  if (!recorder || raw(SYS_kill, recorder, 0) != -ESRCH) return;
  raw(SYS_write, 2, kWhy, sizeof(kWhy) - 1);
  for (;;) raw(SYS_kill, raw(SYS_getpid), SIGKILL);
}

void wait_for_room(Slot& slot, uint64_t size) {
  if (slot.stream.head + size - slot.stream.seen_tail <= kRingBytes) return;
  for (int tries = 1;; ++tries) {
    if (tries % kTriesUntilLook == 0) end_without_recorder();
    uint64_t tail = look_at_tail(slot);
    if (slot.stream.head + size - tail <= kRingBytes) return;
    ring_doorbell();
    timespec limit{0, 10'000'000};
    raw(SYS_futex, &slot.shared->tail, FUTEX_WAIT, static_cast<uint32_t>(tail), &limit);
  }
}

void append(Slot& slot, const void* data, uint64_t size) {
  auto* from = static_cast<const char*>(data);
  constexpr uint64_t kPiece = kRingBytes / 4;
  while (size > kPiece) {
    append(slot, from, kPiece);
    commit(slot);
    from += kPiece;
    size -= kPiece;
  }
  wait_for_room(slot, size);
  uint64_t at = slot.stream.head % kRingBytes;
  uint64_t first = size < kRingBytes - at ? size : kRingBytes - at;
  memcpy(ring_of(slot) + at, from, first);
  if (size > first) memcpy(ring_of(slot), from + first, size - first);
  slot.stream.head += size;
}

constexpr uint32_t kShortValue = 64;
constexpr uint64_t kShortRecord = 4 * kMaxVarint + kShortValue;

// Where a short record can be put together, whole in the ring; else null.
uint8_t* room_for_short(Slot& slot) {
  uint64_t at = slot.stream.head % kRingBytes;
  bool fits = at <= kRingBytes - kShortRecord && slot.stream.head + kShortRecord - slot.stream.seen_tail <= kRingBytes;
  return fits ? reinterpret_cast<uint8_t*>(ring_of(slot)) + at : nullptr;
}

uint32_t put_head(Slot& slot, uint8_t* to, RecordKind kind) {
  uint64_t delta = slot.shared->count - slot.stream.last_count;
  slot.stream.last_count = slot.shared->count;
  return put_varint(to, delta << 2 | static_cast<uint32_t>(kind));
}

}  // namespace

void log_edge(Slot& slot, uint64_t site, uint32_t source, uint64_t source_count, uint64_t source_edges) {
  StreamState& stream = slot.stream;
  uint8_t bytes[5 * kMaxVarint];
  uint32_t n = put_head(slot, bytes, RecordKind::kEdge);
  n += put_varint(bytes + n, zigzag(static_cast<int64_t>(site - stream.last_site)));
  n += put_varint(bytes + n, source);
  n += put_varint(bytes + n, zigzag(static_cast<int64_t>(source_count - stream.source_count[source])));
  n += put_varint(bytes + n, zigzag(static_cast<int64_t>(source_edges - stream.source_edges[source])));
  stream.last_site = site;
  stream.source_count[source] = source_count;
  stream.source_edges[source] = source_edges;
  append(slot, bytes, n);
  commit(slot);
  ++slot.edges;
  ++slot.shared->status.edges;
}

void log_versions(Slot& slot, const uint8_t* versions, uint32_t length) {
  uint8_t bytes[2 * kMaxVarint];
  uint32_t n = put_head(slot, bytes, RecordKind::kVersions);
  n += put_varint(bytes + n, length);
  append(slot, bytes, n);
  append(slot, versions, length);
  commit(slot);
}

void put_value(Slot& slot, uint32_t op, int64_t result, const void* data, uint32_t size, const void* more_data,
               uint32_t more_size) {
  if (!recording()) return;  // the child of a fork
  if (tracing()) trace_close(slot);  // what it still has to log belongs to an earlier count
  uint8_t elsewhere[4 * kMaxVarint];
  uint8_t* in_ring = size <= kShortValue && !more_size ? room_for_short(slot) : nullptr;
  uint8_t* bytes = in_ring ? in_ring : elsewhere;
  uint32_t n = put_head(slot, bytes, RecordKind::kValue);
  n += put_varint(bytes + n, op);
  n += put_varint(bytes + n, zigzag(result));
  n += put_varint(bytes + n, uint64_t{size} + more_size);
  if (in_ring) {
    if (size) memcpy(bytes + n, data, size);
    slot.stream.head += n + size;
  } else {
    append(slot, bytes, n);
    if (size) append(slot, data, size);
    if (more_size) append(slot, more_data, more_size);
  }
  commit(slot);
  ++slot.shared->status.values;
}

// All of them are as large, so that none is divided by the end of the ring.
void put_reference(Slot& slot, const LiveReference& reference) {
  wait_for_room(slot, sizeof(reference));
  *reinterpret_cast<LiveReference*>(ring_of(slot) + slot.stream.head % kRingBytes) = reference;
  slot.stream.head += sizeof(reference);
  commit(slot);
}

void put_reference(Slot& slot, const LiveReference& reference, const CompactReference* run, uint64_t count) {
  static_assert(kReferencesBytes <= kRingBytes / 4);  // so that all of it becomes visible at once
  append(slot, &reference, sizeof(reference));
  append(slot, run, align_up(count * sizeof(CompactReference), sizeof(LiveReference)));
  commit(slot);
}

uint32_t peek_op(const Slot& slot) {
  return reinterpret_cast<const ScheduledValue*>(slot.replay.values)->op;
}

bool next_is(const Slot& slot, uint32_t op) {
  auto* value = reinterpret_cast<const ScheduledValue*>(slot.replay.values);
  return value->op == op && value->count == slot.shared->count;
}

bool next_is(const Slot& slot, uint32_t op, int64_t result) {
  return next_is(slot, op) && reinterpret_cast<const ScheduledValue*>(slot.replay.values)->result == result;
}

bool has_passed_value(const Slot& slot) {
  auto* value = reinterpret_cast<const ScheduledValue*>(slot.replay.values);
  return value->op != kNoMoreValues && value->count < slot.shared->count;
}

bool will_get(const Slot& slot, uint32_t op, int64_t result, uint32_t counts_before) {
  auto* value = reinterpret_cast<const ScheduledValue*>(slot.replay.values);
  return value->op == op && value->count == slot.shared->count + counts_before + 1 && value->result == result;
}

bool will_get_later(const Slot& slot, uint32_t op) {
  for (const char* at = slot.replay.values;;) {
    auto* value = reinterpret_cast<const ScheduledValue*>(at);
    if (value->op == op || value->op == kNoMoreValues) return value->op == op;
    at += sizeof(ScheduledValue) + align_up(value->length, 8);
  }
}

void go_to_value(Slot& slot, const char* at) {
  slot.replay.values = at;
  auto* value = reinterpret_cast<const ScheduledValue*>(at);
  slot.shared->outcome_at = value->op == kNoMoreValues ? slot.replay.crash_count : value->count;
}

const ScheduledValue* next_value(Slot& slot, uint32_t op) {
  auto* value = reinterpret_cast<const ScheduledValue*>(slot.replay.values);
  if (value->op == kNoMoreValues) enforce_end(slot);
  if (value->op != op) fatal(ReportKind::kDivergedValue, "", op, value->op);
  if (value->count != slot.shared->count) fatal(ReportKind::kDivergedCount, "", value->count, op);
  go_to_value(slot, slot.replay.values + sizeof(ScheduledValue) + align_up(value->length, 8));
  ++slot.shared->status.values;
  return value;
}

int64_t get_value(Slot& slot, uint32_t op, void* data, uint32_t capacity) {
  auto* value = next_value(slot, op);
  if (value->length && data) memcpy(data, value_bytes(value), value->length < capacity ? value->length : capacity);
  return value->result;
}

}  // namespace ana
