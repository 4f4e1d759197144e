// The memory of the program that a call of MPI uses, so that it is ordered with what other threads do there: what MPI
// reads, at the call; what it writes, when the call returns or when the request is complete.
//
// How large an element is, and how many ranks there are, MPI outside has to say. Those are calls of ours, and replay must
// make the same: so what is kept of the answers is each thread's own, and of types that never change.
#include <string.h>

#include "mpi/inside_shapes.h"

namespace ana::mpi {

namespace {

struct TypeShape {
  MPI_Datatype type;
  int64_t begin, bytes;  // of one element, from its address
  int64_t stride;        // to the next one
};
constexpr uint32_t kKnownTypes = 16;
thread_local TypeShape known[kKnownTypes];
thread_local uint32_t known_count = 0;

#ifdef MPICH_VERSION
bool is_predefined(MPI_Datatype type) { return static_cast<uint32_t>(type) >> 30 == 1; }
#else
bool is_predefined(MPI_Datatype type) {
  static uint64_t first = ~0ull, last = 0;
  if (last == 0) {
#define ANA_FUNCTION(name, number)
#define ANA_VARIABLE(name, number)                                                             \
  if (uint64_t at = outside_page().symbols[number]; strncmp(#name, "ompi_mpi_", 9) == 0) {     \
    first = at < first ? at : first;                                                           \
    last = at > last ? at : last;                                                              \
  }
#include ANA_SYMBOLS
#undef ANA_FUNCTION
#undef ANA_VARIABLE
  }
  uint64_t at = reinterpret_cast<uint64_t>(type);
  return at >= first && at <= last;
}
#endif

TypeShape shape_of_type(MPI_Datatype type) {
  for (uint32_t i = 0; i < known_count; i++)
    if (known[i].type == type) return known[i];
  MPI_Aint from = 0, extent = 0, true_from = 0, true_extent = 0;
  ask(k_PMPI_Type_get_extent, type, &from, &extent);
  ask(k_PMPI_Type_get_true_extent, type, &true_from, &true_extent);
  TypeShape shape{type, true_from, true_extent, extent};
  if (is_predefined(type) && known_count < kKnownTypes) known[known_count++] = shape;
  return shape;
}

int ranks_of(uint64_t communicator) {
  int ranks = 0, between = 0;
  ask(k_PMPI_Comm_test_inter, communicator, &between);
  ask(between != 0 ? k_PMPI_Comm_remote_size : k_PMPI_Comm_size, communicator, &ranks);
  return ranks;
}

void add_elements(Ranges& ranges, uint64_t buffer, int64_t first, int64_t count, MPI_Datatype type, bool write) {
  if (count <= 0 || buffer < 4096) return;
  TypeShape shape = shape_of_type(type);
  int64_t begin = shape.begin, end = shape.begin + shape.bytes, last = (count - 1) * shape.stride;
  if (last < 0) begin += last;
  else end += last;
  ranges.add(buffer + static_cast<uint64_t>(first * shape.stride + begin), static_cast<uint64_t>(end - begin), write);
}

void add_buffer(Ranges& ranges, Frame& frame, const CallShape& call, const BufferArguments& a, bool write) {
  if (a.extent == Extent::kNone || frame.word(a.buffer) < 4096) return;
  MPI_Datatype type;
  memcpy(&type, &frame.word(a.type), sizeof type);
  uint64_t buffer = frame.word(a.buffer);
  if (a.extent != Extent::kHull) {
    int64_t count = static_cast<int>(frame.word(a.count));
    if (a.extent == Extent::kEach) count *= ranks_of(frame.word(call.communicator));
    return add_elements(ranges, buffer, 0, count, type, write);
  }
  auto* counts = reinterpret_cast<const int*>(frame.word(a.count));
  auto* displacements = reinterpret_cast<const int*>(frame.word(a.displacements));
  if (counts == nullptr || displacements == nullptr) return;  // not the root
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (int i = 0, n = ranks_of(frame.word(call.communicator)); i < n; i++) {
    if (counts[i] <= 0) continue;
    first = displacements[i] < first ? displacements[i] : first;
    last = displacements[i] + counts[i] > last ? displacements[i] + counts[i] : last;
  }
  if (first < last) add_elements(ranges, buffer, first, last - first, type, write);
}

// What is written until a request is complete. Threads hand requests to each other, so there is one table; it changes
// nothing of what the program does, and needs no order of its own.
struct Pending {
  uint64_t request;  // 0: free
  bool persistent;
  OutsideRange range;
};
constexpr uint32_t kMaxPending = 4096;
Pending pending[kMaxPending];
uint32_t pending_end = 0;
bool pending_lock = false;

class PendingLock {
 public:
  PendingLock() {
    while (__atomic_exchange_n(&pending_lock, true, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();  // pairs with the store
  }
  ~PendingLock() { __atomic_store_n(&pending_lock, false, __ATOMIC_RELEASE); }
  PendingLock(const PendingLock&) = delete;
};

void add_pending(uint64_t request, const OutsideRange& range, bool persistent) {
  PendingLock lock;
  uint32_t i = 0;
  while (i < pending_end && pending[i].request != 0) i++;
  if (i == kMaxPending) return;
  pending[i] = {request, persistent, range};
  if (i == pending_end) pending_end++;
}

void take_pending(uint64_t request, bool complete, Ranges& ranges) {
  PendingLock lock;
  for (uint32_t i = 0; i < pending_end; i++) {
    if (pending[i].request != request || !(complete || pending[i].persistent)) continue;
    ranges.add(pending[i].range.at, pending[i].range.bytes, true);
    if (!pending[i].persistent) pending[i].request = 0;
    return;
  }
}

uint64_t request_at(uint64_t array, uint64_t i) {
  MPI_Request request;
  memcpy(&request, reinterpret_cast<const char*>(array) + i * sizeof request, sizeof request);
  uint64_t word = 0;
  memcpy(&word, &request, sizeof request);
  return word;
}

}  // namespace

void Buffers::before(Ranges& ranges) {
  CallShape call = shape_of(frame_.number);
  add_buffer(ranges, frame_, call, call.read, false);
  add_buffer(written_, frame_, call, call.written, true);
  CompletionShape completion = completion_of(frame_.number);
  if (completion.requests < 0) return;
  int64_t count = completion.count < 0 ? 1 : static_cast<int>(frame_.word(completion.count));
  for (; held_count_ < count && held_count_ < kMaxRanges; held_count_++)
    held_[held_count_] = request_at(frame_.word(completion.requests), held_count_);
}

void Buffers::after(Ranges& ranges) {
  CallShape call = shape_of(frame_.number);
  if (frame_.result != MPI_SUCCESS) return;
  for (uint32_t i = 0; i < written_.count; i++) {
    if (call.request < 0) ranges.add(written_.range[i].at, written_.range[i].bytes, true);
    else add_pending(request_at(frame_.word(call.request), 0), written_.range[i], call.persistent);
  }
  if (held_count_ == 0) return;
  uint64_t array = frame_.word(completion_of(frame_.number).requests);
  for (uint32_t i = 0; i < held_count_; i++) take_pending(held_[i], request_at(array, i) != held_[i], ranges);
}

}  // namespace ana::mpi
