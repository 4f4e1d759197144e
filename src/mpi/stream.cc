#include "mpi/stream.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ana::mpi {

namespace {

int file = -1;
LiveHeader* live = nullptr;

void* map(uint64_t offset, uint64_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : at;
}

// Without room on the disk nothing is written any more: the trace then is one of a rank that died at this point.
LiveBlock* new_block(uint32_t stream) {
  if (live == nullptr) return nullptr;
  uint32_t index = __atomic_fetch_add(&live->blocks, 1, __ATOMIC_RELAXED);
  uint64_t offset = index * kLiveBlockBytes;
  // posix_fallocate: a hole that cannot be filled later would be a SIGBUS in the middle of the program.
  LiveBlock* block = nullptr;
  if (::posix_fallocate(file, static_cast<off_t>(offset), kLiveBlockBytes) == 0)
    block = static_cast<LiveBlock*>(map(offset, kLiveBlockBytes));
  if (block == nullptr) {
    live = nullptr;
  } else {
    block->stream = stream;
  }
  return block;
}

}  // namespace

bool open_rank_file(const char* path, LiveHeader*& header, SiteTable*& sites) {
  file = ::open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  auto* base = static_cast<uint8_t*>(map(0, kFirstEventBlock * kLiveBlockBytes));
  if (base == nullptr) return false;
  header = live = reinterpret_cast<LiveHeader*>(base);
  sites = reinterpret_cast<SiteTable*>(base + kLiveBlockBytes);
  return live->magic == kLiveMagic && live->version == kRankVersion;
}

void close_rank_file() { live = nullptr; }

LiveReceived* add_received_row(uint64_t communicator, int source, int tag) {
  static LiveBlock* block = nullptr;
  if (block == nullptr || block->used + sizeof(LiveReceived) > kBlockCapacity) block = new_block(kReceivedBlock);
  if (block == nullptr) return nullptr;
  auto* row = reinterpret_cast<LiveReceived*>(reinterpret_cast<uint8_t*>(block + 1) + block->used);
  *row = {communicator, source, tag, 0};
  __atomic_store_n(&block->used, block->used + static_cast<uint32_t>(sizeof *row), __ATOMIC_RELEASE);
  return row;
}

void append_bytes(uint32_t stream, LiveBlock*& block, const uint8_t* bytes, size_t size) {
  if (block == nullptr || block->used + size > kBlockCapacity) {
    LiveBlock* full = block;
    block = new_block(stream);
    if (full != nullptr) ::munmap(full, kLiveBlockBytes);
  }
  if (block == nullptr) return;
  memcpy(reinterpret_cast<uint8_t*>(block + 1) + block->used, bytes, size);
  __atomic_store_n(&block->used, block->used + static_cast<uint32_t>(size), __ATOMIC_RELEASE);
}

// Called with no whole block left.
void Writer::take_block() {
  LiveBlock* full = block_;
  block_ = new_block(stream_);
  if (full != nullptr) ::munmap(full, kLiveBlockBytes);
}

void Writer::append(const RankEvent& event) {
  if (block_ == nullptr || block_->used + kMaxEventBytes > kBlockCapacity) take_block();
  if (block_ == nullptr) return;
  auto* bytes = reinterpret_cast<uint8_t*>(block_ + 1);
  uint8_t* end = encoder_.put(bytes + block_->used, event);
  // The tool reads when the rank is dead: the order of the stores in the program is enough, and release keeps it.
  __atomic_store_n(&block_->used, static_cast<uint32_t>(end - bytes), __ATOMIC_RELEASE);
  unchecked_++;
}

void Writer::put_match(uint32_t source) { put({.kind = EventKind::kMatch, .value = source}); }

void Writer::put(const RankEvent& event) {
  if (block_ != nullptr && block_->pending_no != 0) {
    uint64_t n = block_->pending_no;
    // First the count, then the event: a rank that is killed between loses the run of no, and never counts it twice.
    __atomic_store_n(&block_->pending_no, 0, __ATOMIC_RELEASE);
    append({.kind = EventKind::kNo, .value = n});
  }
  append(event);
}

}  // namespace ana::mpi
