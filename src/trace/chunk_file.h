// Files of chunks (chunk_format.h) that are written once and read as a whole or chunk by chunk: those of MPI ranks.
// Nothing in a file is trusted.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <utility>
#include <vector>

#include "trace/chunk_format.h"
#include "trace/result.h"

namespace ana {

// A file, mapped for reading.
class Mapping {
 public:
  Mapping() = default;
  Mapping(int fd, uint64_t size);
  Mapping(Mapping&& other) noexcept : size_(other.size_), base_(std::exchange(other.base_, nullptr)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(base_, other.base_);
    return *this;
  }
  ~Mapping();

  // Null: could not be mapped.
  const uint8_t* base() const { return base_; }
  uint64_t size() const { return size_; }

 private:
  uint64_t size_ = 0;
  const uint8_t* base_ = nullptr;
};

// Reads the header at `offset` and moves on to the next chunk.
Status skip_chunk(const uint8_t* base, uint64_t size, uint64_t& offset, ChunkHeader& header);
Result<std::vector<uint8_t>> read_chunk(const uint8_t* base, uint64_t size, uint64_t& offset, ChunkHeader& header);
// Appends one; `offset` is where the file ends.
Status put_chunk(int fd, uint64_t& offset, uint32_t slot, const uint8_t* raw, size_t bytes, int level = 3);

}  // namespace ana
