// The framing of the file `streams` of a trace: a FileHeader, then chunks, each a ChunkHeader followed by
// `stored_bytes` in the form of chunk_coding.h. docs/format.md describes it for other programs. Other files have the same
// framing with a zstd frame in each chunk (chunk_file.h).
//
// Invariants:
//   - The raw bytes of the chunks of a slot, in the order of the file, are the slot's stream (stream_format.h).
//   - A chunk need not end with a whole record. A *restart* chunk does begin with one: an unfinished record before it
//     is dropped. The recorder writes one when the program died while it was writing a record.
//   - A *positions* chunk holds a SlotPosition for each slot: where its thread was before the chunks in front were
//     taken, so that these have all that it had logged until then. Only of use when the recorder is killed.
//   - The file only grows, so that a recorder that is killed leaves whole chunks and at most one torn one at the end.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ana {

constexpr uint64_t kStreamsMagic = 0x0a736d6165727473ull;    // "streams\n"
constexpr uint32_t kChunkMagic = 0x4b4e4843u;                // "CHNK"
constexpr uint32_t kRestartMagic = 0x54534552u;              // "REST"
constexpr uint32_t kPositionsMagic = 0x49534f50u;            // "POSI"
constexpr uint32_t kMaxChunkBytes = 256 * 1024;              // of raw bytes
constexpr uint32_t kMaxStoredBytes = kMaxChunkBytes + 4096;  // at least ZSTD_compressBound(kMaxChunkBytes) + 4 varints

struct FileHeader {
  uint64_t magic;
  uint32_t format;          // kTraceFormat
  uint32_t stream_version;  // kStreamVersion
};
static_assert(sizeof(FileHeader) == 16);

struct ChunkHeader {
  uint32_t magic;
  uint32_t slot;
  uint32_t raw_bytes;
  uint32_t stored_bytes;
  uint64_t hash;  // chunk_hash(), or in `streams` coded_chunk_hash()
};
static_assert(sizeof(ChunkHeader) == 24);
// What stands before the hash in a header and is covered by it.
constexpr size_t kHashedHeaderBytes = offsetof(ChunkHeader, hash);

struct SlotPosition {
  uint64_t count;
  uint64_t wait_site;  // if it was waiting for another thread
  uint32_t state;      // SlotState
  uint32_t logged;     // bytes of its stream, modulo 2^32
};
static_assert(sizeof(SlotPosition) == 24);

// XXH64 of the raw bytes, with the XXH64 of the header's first fields as seed, which in turn has the chunk's place in
// the file as seed. So a chunk that was moved, or given to another slot, is noticed.
uint64_t chunk_hash(const ChunkHeader& header, uint64_t file_offset, const uint8_t* raw);
// The same, but the hash of the stored bytes comes between: a changed bit at the end of what is coded need not change the raw
// bytes.
uint64_t coded_chunk_hash(const ChunkHeader& header, uint64_t file_offset, const uint8_t* stored, const uint8_t* raw);

}  // namespace ana
