#include "mpi/contents.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/completion.h"
#include "mpi/stream.h"

namespace ana::mpi {

// Of one thread.
struct Contents {
  LiveContentsBlock* block;  // record
  const uint8_t* at;         // alone: the rest of the piece in the window
  const uint8_t* end;
  bool over;  // alone: there is no more
  int64_t* numbers;
  size_t room;
};

namespace {

int file = -1;
LiveContentsHeader* live = nullptr;
const uint8_t* window = nullptr;
bool whole = false;  // of the window
constexpr uint64_t kMostNumbers = uint64_t{1} << 32;

Contents& contents_of(Thread* t) {
  if (t->contents == nullptr) {
    t->contents = static_cast<Contents*>(calloc(1, sizeof(Contents)));
    if (t->contents == nullptr) give_up("there is no memory left for the contents of messages");
  }
  return *t->contents;
}

void* map(uint64_t offset, uint64_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : at;
}

// Without room on the disk the recording cannot go on: what is missing could not be told from what never came.
LiveContentsBlock* new_block(uint32_t stream) {
  uint64_t offset = __atomic_fetch_add(&live->blocks, 1, __ATOMIC_RELAXED) * kContentsBlockBytes;
  LiveContentsBlock* block = nullptr;
  // A hole that cannot be filled later would be a SIGBUS in the middle of the program.
  if (::posix_fallocate(file, static_cast<off_t>(offset), kContentsBlockBytes) == 0)
    block = static_cast<LiveContentsBlock*>(map(offset, kContentsBlockBytes));
  if (block == nullptr) give_up("there is no room left for the contents of messages; record without --contents, or "
                                "choose a larger disk with -o");
  block->stream = stream;
  return block;
}

// Alone: false if the stream is over.
bool refill(Thread* t, Contents& c) {
  if (c.over) return false;
  if (whole) {
    const auto& stream = reinterpret_cast<const RankWindowHeader*>(window)->stream[t->stream];
    c.at = window + stream.offset;
    c.end = c.at + stream.bytes;
    c.over = true;
    return c.at != c.end;
  }
  RankMore more{t->stream, 0};
  RankPiece piece{};
  if (!ask_tool(&more, sizeof more, &piece, sizeof piece)) give_up("the tool that started this rank does not answer");
  if (piece.ok == 0) give_up(piece.text);
  c.at = window + t->stream * kContentsBlockBytes;
  c.end = c.at + piece.bytes;
  c.over = piece.bytes == 0;
  return !c.over;
}

[[noreturn]] void nothing_left(Thread* t) {
  if (!t->schedule->ended) park(t);
  diverged(t, "the recording has nothing left that this call could have got");
}

uint8_t take_byte(Thread* t, Contents& c) {
  if (c.at == c.end && !refill(t, c)) nothing_left(t);
  return *c.at++;
}

uint64_t take_varint(Thread* t, Contents& c) {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64; shift += 7) {
    uint8_t b = take_byte(t, c);
    value |= static_cast<uint64_t>(b & 0x7f) << shift;
    if ((b & 0x80) == 0) return value;
  }
  give_up("the contents of this rank are damaged; `anaphora verify` says where");
}

void demand_room(Contents& c, size_t n) {
  if (n <= c.room) return;
  c.room = n * 2;
  c.numbers = static_cast<int64_t*>(realloc(static_cast<void*>(c.numbers), c.room * sizeof(int64_t)));
  if (c.numbers == nullptr) give_up("there is no memory left for the contents of messages");
}

}  // namespace

bool open_contents(const char* path) {
  file = ::open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  live = static_cast<LiveContentsHeader*>(map(0, kContentsBlockBytes));
  return live != nullptr && live->magic == kLiveContentsMagic && live->version == kContentsVersion;
}

void contents_finalized() {
  if (live != nullptr) live->finalized = 1;
}

bool map_contents(int fd, bool all) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return false;
  void* at = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return false;
  window = static_cast<const uint8_t*>(at);
  whole = all;
  return true;
}

void put_bytes(Thread* t, const void* from, size_t n) {
  Contents& c = contents_of(t);
  const auto* bytes = static_cast<const uint8_t*>(from);
  while (n > 0) {
    if (c.block == nullptr || c.block->used == kContentsCapacity) {
      LiveContentsBlock* full = c.block;
      c.block = new_block(t->stream);
      if (full != nullptr) {
        __atomic_store_n(&full->full, 1, __ATOMIC_RELEASE);  // read by the tool, which takes the block away
        ::munmap(full, kContentsBlockBytes);
      }
    }
    uint32_t used = c.block->used;
    size_t step = kContentsCapacity - used < n ? kContentsCapacity - used : n;
    memcpy(reinterpret_cast<uint8_t*>(c.block + 1) + used, bytes, step);
    __atomic_store_n(&c.block->used, used + static_cast<uint32_t>(step), __ATOMIC_RELEASE);
    bytes += step;
    n -= step;
  }
}

void put_record(Thread* t, ContentKind kind, const int64_t* numbers, size_t n, uint64_t bytes) {
  Room<uint8_t, 256> head(2 + (n + 2) * kMaxVarint);
  uint8_t* end = head.data();
  *end++ = static_cast<uint8_t>(kind);
  *end++ = static_cast<uint8_t>(t->call);
  end = append_varint(end, n);
  for (size_t i = 0; i < n; i++) end = append_varint(end, zigzag(numbers[i]));
  end = append_varint(end, bytes);
  put_bytes(t, head.data(), static_cast<size_t>(end - head.data()));
}

void take_bytes(Thread* t, void* to, size_t n) {
  Contents& c = contents_of(t);
  auto* bytes = static_cast<uint8_t*>(to);
  while (n > 0) {
    if (c.at == c.end && !refill(t, c)) nothing_left(t);
    size_t left = static_cast<size_t>(c.end - c.at), step = left < n ? left : n;
    memcpy(bytes, c.at, step);
    c.at += step;
    bytes += step;
    n -= step;
  }
}

Taken take_record(Thread* t, ContentKind kind, size_t least) {
  Contents& c = contents_of(t);
  uint8_t of_kind = take_byte(t, c), of_call = take_byte(t, c);
  bool of_this = of_call == static_cast<uint8_t>(t->call) || kind == ContentKind::kFreed;
  if (of_kind != static_cast<uint8_t>(kind) || !of_this)
    diverged(t, "the recording has what %s got here", name_of(static_cast<Call>(of_call)));
  uint64_t n = take_varint(t, c);
  if (n < least || n > kMostNumbers) give_up("the contents of this rank are damaged; `anaphora verify` says where");
  demand_room(c, n);
  for (uint64_t i = 0; i < n; i++) c.numbers[i] = unzigzag(take_varint(t, c));
  uint64_t bytes = take_varint(t, c);
  return {c.numbers, static_cast<size_t>(n), bytes};
}

bool has_more(Thread* t) {
  Contents& c = contents_of(t);
  return c.at != c.end || refill(t, c);
}

bool comes_next(Thread* t, ContentKind kind) { return has_more(t) && *t->contents->at == static_cast<uint8_t>(kind); }

int pass_numbers(Thread* t, int result, int* numbers, size_t n) {
  if (recording()) {
    Room<int64_t> row(n + 1);
    row[0] = result;
    for (size_t i = 0; i < n; i++) row[i + 1] = result == MPI_SUCCESS ? numbers[i] : 0;
    put_record(t, ContentKind::kNumbers, row.data(), n + 1);
    return result;
  }
  Taken taken = take_record(t, ContentKind::kNumbers, n + 1);
  for (size_t i = 0; i < n && taken.result() == MPI_SUCCESS; i++) numbers[i] = taken.at(i + 1);
  return taken.result();
}

int pass_arrays(Thread* t, int result, const Told* arrays, size_t n) {
  if (recording()) {
    size_t all = 1 + n;
    for (size_t i = 0; i < n; i++) all += static_cast<size_t>(arrays[i].size);
    Room<int64_t> row(all);
    size_t at = 0;
    row[at++] = result;
    for (size_t i = 0; i < n; i++) {
      row[at++] = arrays[i].size;
      for (int k = 0; k < arrays[i].size; k++) row[at++] = arrays[i].items[k];
    }
    put_record(t, ContentKind::kNumbers, row.data(), all);
    return result;
  }
  Taken taken = take_record(t, ContentKind::kNumbers, 1 + n);
  size_t at = 1;
  for (size_t i = 0; i < n && at < taken.count; i++) {
    int64_t size = taken.numbers[at++];
    for (int64_t k = 0; k < size && at < taken.count; k++) arrays[i].items[k] = taken.at(at++);
  }
  return taken.result();
}

int pass_text(Thread* t, int result, char* text, size_t room) {
  if (recording()) {
    int64_t row[] = {result};
    size_t bytes = result == MPI_SUCCESS ? strnlen(text, room) : 0;
    put_record(t, ContentKind::kText, row, 1, bytes);
    put_bytes(t, text, bytes);
    return result;
  }
  Taken taken = take_record(t, ContentKind::kText);
  int told = taken.result();
  if (taken.bytes >= room) diverged(t, "the recording has a longer text than there is room for here");
  take_bytes(t, text, taken.bytes);
  if (told == MPI_SUCCESS) text[taken.bytes] = 0;
  return told;
}

}  // namespace ana::mpi
