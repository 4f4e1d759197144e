// The bytes of a file of references in its binary form. docs/format.md describes it for other programs.
//
//   ReferenceFileHeader, blocks, one trailer block, ReferenceFileTail
//
// A block is a ReferenceBlockHeader and `stored_bytes` of one zstd frame. Its raw bytes are columns: see
// references_write.cc. Deltas start anew in each block.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ana {

constexpr uint64_t kReferencesMagic = 0x0a73666572616e61ull;     // "anarefs\n"
constexpr uint64_t kReferencesEndMagic = 0x0a646e6573666572ull;  // "refsend\n"
constexpr uint32_t kReferencesVersion = 1;
constexpr uint32_t kReferenceBlockMagic = 0x4b4c4252u;    // "RBLK"
constexpr uint32_t kReferenceTrailerMagic = 0x444e4552u;  // "REND"

constexpr uint32_t kMaxBlockReferences = 1 << 16;
// Thread, kind, and four varints at most.
constexpr uint32_t kMaxReferenceBytes = 2 + 1 + 5 + 10 + 10 + 10;
constexpr uint32_t kReferenceBlockHead = 16;
constexpr uint32_t kMaxReferenceBlockBytes = kReferenceBlockHead + kMaxBlockReferences * kMaxReferenceBytes;

struct ReferenceFileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t reserved;  // 0
};
static_assert(sizeof(ReferenceFileHeader) == 16);

struct ReferenceBlockHeader {
  uint32_t magic;
  uint32_t references;  // in the trailer: number of threads
  uint32_t raw_bytes;
  uint32_t stored_bytes;
  uint64_t hash;  // of the raw bytes; seed: hash of the fields above, whose seed is the block's place in the file
};
static_assert(sizeof(ReferenceBlockHeader) == 24);

struct ReferenceFileTail {
  uint64_t trailer;  // where the trailer block is
  uint64_t magic;
};
static_assert(sizeof(ReferenceFileTail) == 16);

// Which columns a block has besides the others.
constexpr uint8_t kHasSites = 1, kHasSerials = 2;

// Sizes 1 to 62 and 64 are in the byte that has the kind; others are varints in a column of their own.
constexpr uint8_t kSize64 = 62, kSizeElsewhere = 63;

uint64_t reference_block_hash(const ReferenceBlockHeader& header, uint64_t file_offset, const uint8_t* raw);

}  // namespace ana
