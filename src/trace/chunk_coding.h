// How a chunk of a stream is stored: its edges apart from everything else, each in the way that suits it. Edges are many and
// alike, so their fields are coded by what is typical of them (edge_model.h); the rest is a zstd frame.
//
// Stored bytes:
//   varint  bytes at the beginning that belong to a record of the chunk before, or to none
//   varint  records that follow, all of them whole
//   varint  size of the coded part
//   coded   for each record whether it is an edge, and the fields of edges
//   varint  where in the rest, from 1, a table of the loader is stored as columns (loader_cache.h); 0: nowhere
//   rest    a zstd frame, absent if there is nothing in it: those first bytes, the other records, and what follows the last
//           whole record
//
// A chunk depends on no other one, so that all that were written before a recorder was killed can be read.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <vector>

struct ZSTD_CCtx_s;

namespace ana {

class ChunkEncoder {
 public:
  ChunkEncoder();
  // Appends the stored form of at most kMaxChunkBytes to `out`: at most kMaxStoredBytes, whatever they are. False: zstd
  // fails. A record begins at `first_record`, or the chunk holds no records if that is its size.
  bool encode(const uint8_t* raw, size_t size, size_t first_record, std::vector<uint8_t>& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  // Fills coded_ and rest_; returns the number of records.
  uint64_t split(const uint8_t* raw, size_t size, size_t first_record);

  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::vector<uint8_t> coded_, rest_;
};

// Any bytes may be given; false if they are not the stored form of `raw_bytes`.
bool decode_chunk(const uint8_t* stored, size_t stored_bytes, uint8_t* raw, size_t raw_bytes);

}  // namespace ana
