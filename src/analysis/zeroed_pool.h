// Memory that is zero, in pieces that are given back all at once: for the tables of detectors, which are large. It comes
// from the kernel in chunks that are there at once, so that their pages need no faults.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace ana {

class ZeroedPool {
 public:
  ZeroedPool() = default;
  ZeroedPool(const ZeroedPool&) = delete;
  ~ZeroedPool() {
    for (void* chunk : chunks_) ::munmap(chunk, kChunkBytes);
  }

  // At most kChunkBytes; aligned to 64 of them.
  void* take(size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    if (left_ < bytes) add_chunk();
    left_ -= bytes;
    return next_ + left_;
  }

  static constexpr size_t kChunkBytes = 256 << 10;

 private:
  void add_chunk() {
    void* chunk = ::mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (chunk == MAP_FAILED) throw std::bad_alloc();
    chunks_.push_back(chunk);
    next_ = static_cast<uint8_t*>(chunk);
    left_ = kChunkBytes;
  }

  std::vector<void*> chunks_;
  uint8_t* next_ = nullptr;
  size_t left_ = 0;  // of the last chunk
};

}  // namespace ana
