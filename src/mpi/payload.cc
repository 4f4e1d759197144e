#include "mpi/payload.h"

#include <string.h>

#include "mpi/completion.h"
#include "mpi/contents.h"

namespace ana::mpi {

namespace {

constexpr uint64_t kStep = 64 * 1024;  // bytes that are packed at once, if items are not larger

struct Layout {
  uint64_t size;
  MPI_Aint extent;
  bool dense;  // items have no gaps, within and between
};

Layout layout_of(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Aint lower, extent, true_lower, true_extent;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  if (size < 0 || size > INT32_MAX) give_up("items of more than 2 GB cannot be saved with --contents");
  bool dense = lower == 0 && true_lower == 0 && extent == size && true_extent == size;
  return {static_cast<uint64_t>(size), extent, dense};
}

char* item_at(const void* buffer, const Layout& layout, uint64_t i) {
  return reinterpret_cast<char*>(reinterpret_cast<intptr_t>(buffer) + layout.extent * static_cast<MPI_Aint>(i));
}

void pack(const void* item, uint64_t count, MPI_Datatype type, char* to, uint64_t bytes) {
  int at = 0;
  PMPI_Pack(item, static_cast<int>(count), type, to, static_cast<int>(bytes), &at, MPI_COMM_SELF);
}

void unpack(const char* from, uint64_t bytes, void* item, uint64_t count, MPI_Datatype type) {
  int at = 0;
  PMPI_Unpack(from, static_cast<int>(bytes), &at, item, static_cast<int>(count), type, MPI_COMM_SELF);
}

// Calls `each` with the bytes of `bytes` worth of items, step by step: whole items, and at last the beginning of one.
template <class Dense, class Whole, class Part>
void walk(const void* buffer, MPI_Datatype type, uint64_t bytes, Dense dense, Whole whole, Part part) {
  if (bytes == 0) return;
  Layout layout = layout_of(type);
  if (layout.size == 0) return;
  uint64_t items = bytes / layout.size, rest = bytes % layout.size;
  if (layout.dense) {
    dense(item_at(buffer, layout, 0), items * layout.size);
  } else {
    uint64_t step = layout.size < kStep ? kStep / layout.size : 1;
    if (items < step) step = items;
    Room<char, 1024> packed(step * layout.size);
    for (uint64_t i = 0; i < items; i += step) {
      uint64_t n = items - i < step ? items - i : step;
      whole(item_at(buffer, layout, i), n, packed.data(), n * layout.size);
    }
  }
  if (rest == 0) return;
  Room<char, 1024> packed(layout.size);
  pack(item_at(buffer, layout, items), 1, type, packed.data(), layout.size);
  part(item_at(buffer, layout, items), packed.data(), layout.size, rest);
}

uint64_t mix(uint64_t hash, const void* bytes, uint64_t n) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  for (; n >= 8; n -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  for (; n > 0; n--) hash = (hash ^ *at++) * 0x100000001b3ull;
  return hash;
}

}  // namespace

uint64_t payload_bytes(uint64_t count, MPI_Datatype type) { return count == 0 ? 0 : count * layout_of(type).size; }

void put_payload(Thread* t, const void* buffer, MPI_Datatype type, uint64_t bytes) {
  walk(
      buffer, type, bytes, [&](const void* at, uint64_t n) { put_bytes(t, at, n); },
      [&](const void* at, uint64_t items, char* packed, uint64_t n) {
        pack(at, items, type, packed, n);
        put_bytes(t, packed, n);
      },
      [&](const void*, const char* packed, uint64_t, uint64_t n) { put_bytes(t, packed, n); });
}

void take_payload(Thread* t, void* buffer, MPI_Datatype type, uint64_t bytes) {
  walk(
      buffer, type, bytes, [&](void* at, uint64_t n) { take_bytes(t, at, n); },
      [&](void* at, uint64_t items, char* packed, uint64_t n) {
        take_bytes(t, packed, n);
        unpack(packed, n, at, items, type);
      },
      [&](void* at, char* packed, uint64_t size, uint64_t n) {
        take_bytes(t, packed, n);
        unpack(packed, size, at, 1, type);
      });
}

void keep_message(Thread* t, int result, const void* buffer, int count, MPI_Datatype type, const MPI_Status* status,
                  bool cancelled) {
  MPI_Count bytes = 0;
  if (!cancelled) PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  uint64_t room = payload_bytes(static_cast<uint64_t>(count), type);
  uint64_t came = bytes < 0 ? 0 : static_cast<uint64_t>(bytes);
  uint64_t stored = came < room ? came : room;
  int64_t row[] = {result, status->MPI_SOURCE, status->MPI_TAG, cancelled ? 1 : 0, bytes};
  put_record(t, ContentKind::kMessage, row, 5, stored);
  put_payload(t, buffer, type, stored);
}

int take_message(Thread* t, void* buffer, int count, MPI_Datatype type, MPI_Comm comm, MPI_Status* status) {
  Taken taken = take_record(t, ContentKind::kMessage, 5);
  int result = taken.result();
  if (status != MPI_STATUS_IGNORE) {
    PMPI_Status_set_elements_x(status, MPI_BYTE, taken.numbers[4]);
    PMPI_Status_set_cancelled(status, taken.at(3));
    status->MPI_SOURCE = taken.at(1);
    status->MPI_TAG = taken.at(2);
  }
  if (taken.bytes > payload_bytes(static_cast<uint64_t>(count), type))
    diverged(t, "the message of the recording is larger than what is received here");
  take_payload(t, buffer, type, taken.bytes);
  if (result != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, result);
  return result;
}

void pass_sent(Thread* t, const void* buffer, int count, MPI_Datatype type) {
  uint64_t hash = 0;
  walk(
      buffer, type, payload_bytes(static_cast<uint64_t>(count), type),
      [&](const void* at, uint64_t n) { hash = mix(hash, at, n); },
      [&](const void* at, uint64_t items, char* packed, uint64_t n) {
        pack(at, items, type, packed, n);
        hash = mix(hash, packed, n);
      },
      [](const void*, const char*, uint64_t, uint64_t) {});
  int64_t row[] = {static_cast<int64_t>(hash)};
  if (recording()) return put_record(t, ContentKind::kSent, row, 1);
  if (take_record(t, ContentKind::kSent).numbers[0] != row[0])
    diverged(t, "what is sent here is not what was sent in the recording");
}

}  // namespace ana::mpi
