// The writing end of a rank's trace: a file, mapped block by block, see rank_format.h. A Writer belongs to one thread;
// RankFile gives out blocks to all of them.
#pragma once
#include <stdint.h>

#include "trace/rank_events.h"
#include "trace/rank_format.h"

namespace ana::mpi {

// The file is made, with blocks 0 and 1, by the tool. False: errno says why.
bool open_rank_file(const char* path, LiveHeader*& header, SiteTable*& sites);
// After a fork, or when recording has ended: nobody writes any more.
void close_rank_file();

// A new row, with a count of 0, that stays where it is; null: no room on the disk.
LiveReceived* add_received_row(uint64_t communicator, int source, int tag);

// A record of a stream that no thread has; `block` is where the last one went, null at first.
void append_bytes(uint32_t stream, LiveBlock*& block, const uint8_t* bytes, size_t size);

class Writer {
 public:
  void open(uint32_t stream) { stream_ = stream; }
  [[gnu::noinline]] void put(const RankEvent& event);
  // The same for one that is a byte by itself (a match whose source is below kShortSource and whose tag need not be told):
  // what most receives are, in a few instructions.
  void put_source(uint32_t source) {
    if (block_ == nullptr || block_->pending_no != 0 || block_->used + kMaxEventBytes > kBlockCapacity)
      return put_match(source);
    reinterpret_cast<uint8_t*>(block_ + 1)[block_->used] = static_cast<uint8_t>(source << 3);
    __atomic_store_n(&block_->used, block_->used + 1, __ATOMIC_RELEASE);
    unchecked_++;
  }
  static constexpr uint32_t kShortSource = 16;
  // One more answer of no; costs a store.
  void put_no() {
    if (block_ == nullptr) take_block();
    if (block_ != nullptr) __atomic_store_n(&block_->pending_no, block_->pending_no + 1, __ATOMIC_RELAXED);
  }
  // Events since the last check; the caller puts checks in.
  uint32_t unchecked() const { return unchecked_; }
  void checked() { unchecked_ = 0; }

 private:
  [[gnu::noinline]] void put_match(uint32_t source);
  void take_block();
  void append(const RankEvent& event);

  RankEncoder encoder_;
  LiveBlock* block_ = nullptr;
  uint32_t stream_ = 0;
  uint32_t unchecked_ = 0;
};

}  // namespace ana::mpi
