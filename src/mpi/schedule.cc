#include "mpi/schedule.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "trace/traced_channels.h"

namespace ana::mpi {

namespace {

const uint8_t* base = nullptr;
size_t base_bytes = 0;

// The entries of the schedule begin with their numbers.
int by_number(const void* a, const void* b) {
  uint64_t first = *static_cast<const uint64_t*>(a), second = *static_cast<const uint64_t*>(b);
  return first < second ? -1 : first > second ? 1 : 0;
}

template <class T>
void sort(List<T>& list) {
  static_assert(offsetof(T, number) == 0);
  if (list.size > 1) qsort(list.items, list.size, sizeof(T), by_number);
}

// Nothing in a file is trusted, sums included.
int64_t add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

}  // namespace

template <class T>
T* List<T>::add(const T& item) {
  if (size == room) {
    size_t more = room == 0 ? 64 : room * 2;
    auto* moved = static_cast<T*>(realloc(static_cast<void*>(items), more * sizeof(T)));
    if (moved == nullptr) return nullptr;
    items = moved;
    room = more;
  }
  items[size] = item;
  return &items[size++];
}
template struct List<NumberedMatch>;
template struct List<Answer>;
template struct List<Check>;
template struct List<TurnAt>;
template struct List<TracedReceive>;
template struct List<int64_t>;

bool Schedule::never(RequestClass kind, uint64_t number) const {
  const List<int64_t>& all = unmatched[static_cast<size_t>(kind)];
  for (size_t i = 0; i < all.size; i++) {
    if (all.items[i] == static_cast<int64_t>(number)) return true;
  }
  return false;
}

Match Schedule::match(uint64_t number) {
  while (next_match < matches.size && matches[next_match].number < number) next_match++;
  return next_match < matches.size && matches[next_match].number == number ? matches[next_match].match : Match{};
}

bool Schedule::is_traced(uint64_t number) {
  List<TracedReceive>& named = traced[static_cast<size_t>(RequestClass::kNamed)];
  while (next_traced < named.size && named[next_traced].number < number) next_traced++;
  return next_traced < named.size && named[next_traced].number == number;
}

bool Schedule::decode(const uint8_t* bytes, size_t size) {
  int64_t expected = 0, next_named = 0, last_tag = 0, last_unmatched[3] = {};
  TracedChannels channels;
  uint64_t check_calls = 0;
  uint64_t operation = 0, next_turn = 0;
  auto put_match = [&](int64_t number, Match match) {
    if (number < 0) return false;
    expected = add(number, 1);
    return matches.add({static_cast<uint64_t>(number), match}) != nullptr;
  };
  auto put_traced = [&](const RankEvent& e) {
    const TracedChannel* c = channels.of(e);
    if (c == nullptr) return false;
    int64_t number = add(e.named ? next_named : expected, e.number);
    auto kind = static_cast<size_t>(e.named ? RequestClass::kNamed : RequestClass::kWildcard);
    if (e.named) next_named = add(number, 1);
    if (!e.named && !put_match(number, {c->source, c->tag, true})) return false;
    return traced[kind].add({static_cast<uint64_t>(number), c->communicator, c->source, c->tag}) != nullptr;
  };
  RankDecoder decoder;
  RankEvent e;
  for (const uint8_t* at = bytes; at < bytes + size;) {
    at = decoder.get(at, bytes + size, e);
    if (at == nullptr) return false;
    bool fine = true;
    switch (e.kind) {
      case EventKind::kMatch:
        last_tag = add(last_tag, e.tag);
        fine = put_match(expected, {static_cast<int32_t>(e.value), static_cast<int32_t>(last_tag), false});
        break;
      case EventKind::kMatchAt:
        last_tag = add(last_tag, e.tag);
        fine = put_match(add(expected, e.number), {static_cast<int32_t>(e.value), static_cast<int32_t>(last_tag), false});
        break;
      case EventKind::kTraced:
        fine = put_traced(e);
        break;
      case EventKind::kUnmatched:
        if (e.value > 2) return false;
        last_unmatched[e.value] = add(last_unmatched[e.value], e.number);
        fine = unmatched[e.value].add(last_unmatched[e.value]) != nullptr;
        if (e.value == static_cast<uint64_t>(RequestClass::kWildcard))
          fine = fine && put_match(last_unmatched[e.value], {Match::kNever, 0, false});
        break;
      case EventKind::kOutcome:
        fine = answers.add({Answer::kOutcome, e.value}) != nullptr;
        break;
      case EventKind::kNo:
        fine = answers.add({Answer::kNo, e.value}) != nullptr;
        break;
      case EventKind::kTime:
        fine = answers.add({Answer::kTime, e.value}) != nullptr;
        break;
      case EventKind::kCheck:
        check_calls += e.value;
        fine = checks.add({check_calls, e.check}) != nullptr;
        break;
      case EventKind::kTurn:
        // The operations since the last one told had the turns after its own.
        next_turn += e.value + static_cast<uint64_t>(e.number);
        operation += e.value;
        fine = turns.add({operation, next_turn}) != nullptr;
        break;
      case EventKind::kEnd:
        ended = true;
        end_calls = e.value;
        end_hash = e.hash;
        break;
      default:
        break;
    }
    if (!fine) return false;
  }
  // They are in the order in which they completed.
  sort(matches);
  for (List<TracedReceive>& list : traced) sort(list);
  return true;
}

bool map_schedule(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return false;
  base_bytes = static_cast<size_t>(info.st_size);
  void* at = ::mmap(nullptr, base_bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return false;
  base = static_cast<const uint8_t*>(at);
  return base_bytes >= sizeof(RankScheduleHeader);
}

Schedule* load_schedule(uint32_t stream) {
  const auto* header = reinterpret_cast<const RankScheduleHeader*>(base);
  auto* schedule = static_cast<Schedule*>(calloc(1, sizeof(Schedule)));
  if (schedule == nullptr) return nullptr;
  for (uint32_t i = 0; i < header->streams; i++) {
    const RankScheduleStream& s = header->stream[i];
    if (s.stream != stream) continue;
    schedule->calls = s.calls;
    schedule->inside = s.inside != 0;
    return schedule->decode(base + s.offset, s.bytes) ? schedule : nullptr;
  }
  return schedule;
}

bool has_stream(uint32_t stream) {
  const auto* header = reinterpret_cast<const RankScheduleHeader*>(base);
  for (uint32_t i = 0; i < header->streams; i++) {
    if (header->stream[i].stream == stream) return header->stream[i].calls != 0;
  }
  return false;
}

uint32_t find_stream(uint64_t lineage) {
  const auto* header = reinterpret_cast<const RankScheduleHeader*>(base);
  for (uint32_t i = 0; i < header->streams; i++) {
    const RankScheduleStream& s = header->stream[i];
    RankEvent first;
    const uint8_t* at = base + s.offset;
    if (get_event(at, at + s.bytes, first) != nullptr && first.kind == EventKind::kThread && first.value == lineage)
      return s.stream;
  }
  return kMaxStreams;
}

const RankRacing* racing_messages(size_t& count) {
  const auto* header = reinterpret_cast<const RankScheduleHeader*>(base);
  count = header->racing;
  return reinterpret_cast<const RankRacing*>(base + header->racing_offset);
}

const RankLimit* received_messages(size_t& count) {
  const auto* header = reinterpret_cast<const RankScheduleHeader*>(base);
  count = header->limits;
  return reinterpret_cast<const RankLimit*>(base + header->limits_offset);
}

}  // namespace ana::mpi
