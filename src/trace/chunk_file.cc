#include "trace/chunk_file.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>

#include "trace/trace_directory.h"

namespace ana {

namespace {

Error damaged(uint64_t offset, const char* what) {
  return Error{fmt::format("it is damaged at offset {}: {}", offset, what)};
}

}  // namespace

Mapping::Mapping(int fd, uint64_t size) : size_(size) {
  void* at = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at != MAP_FAILED) base_ = static_cast<const uint8_t*>(at);
}

Mapping::~Mapping() {
  if (base_ != nullptr) ::munmap(const_cast<uint8_t*>(base_), size_);
}

Status skip_chunk(const uint8_t* base, uint64_t size, uint64_t& offset, ChunkHeader& h) {
  if (size - offset < sizeof h) return damaged(offset, "the header of a chunk is cut off");
  memcpy(&h, base + offset, sizeof h);
  if (h.magic != kChunkMagic) return damaged(offset, "a chunk should begin here");
  if (h.raw_bytes > kMaxChunkBytes || h.stored_bytes > kMaxStoredBytes)
    return damaged(offset, "the size of a chunk cannot be true");
  if (h.stored_bytes > size - offset - sizeof h) return damaged(offset, "a chunk is cut off");
  offset += sizeof h + h.stored_bytes;
  return {};
}

Result<std::vector<uint8_t>> read_chunk(const uint8_t* base, uint64_t size, uint64_t& offset, ChunkHeader& h) {
  uint64_t at = offset;
  if (Status s = skip_chunk(base, size, offset, h); !s) return s.error();
  std::vector<uint8_t> raw(h.raw_bytes);
  size_t n = ZSTD_decompress(raw.data(), raw.size(), base + at + sizeof h, h.stored_bytes);
  if (ZSTD_isError(n) || n != raw.size() || chunk_hash(h, at, raw.data()) != h.hash)
    return damaged(at, "a chunk is not what was written");
  return raw;
}

Status put_chunk(int fd, uint64_t& offset, uint32_t slot, const uint8_t* raw, size_t bytes, int level) {
  std::vector<uint8_t> stored(ZSTD_compressBound(bytes));
  size_t n = ZSTD_compress(stored.data(), stored.size(), raw, bytes, level);
  if (ZSTD_isError(n)) return Error{"cannot compress"};
  ChunkHeader h{kChunkMagic, slot, static_cast<uint32_t>(bytes), static_cast<uint32_t>(n), 0};
  h.hash = chunk_hash(h, offset, raw);
  if (Status s = write_all(fd, &h, sizeof h); !s) return s;
  offset += sizeof h + n;
  return write_all(fd, stored.data(), n);
}

}  // namespace ana
