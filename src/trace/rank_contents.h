// What one rank of an MPI job got from MPI, saved by `record --contents` beside its trace, so that the rank can be
// replayed without the others: the bytes of the messages that it received, their statuses, what it was told about
// communicators and groups. docs/format.md describes the files.
//
// While the rank runs there are two. It maps `contents-N.live` and writes into it, so that SIGKILL leaves all that was
// saved; the tool appends blocks that are full to `contents-N`, compressed, in the order of their numbers, and gives
// their room back. So chunk i of the one is block i of the other, and a block that is in both is taken once.
//
//   block 0     LiveContentsHeader
//   block 1..   LiveContentsBlock, then `used` bytes of one stream
//
// Who writes: the rank; each block belongs to the one thread whose stream it is. `used` is stored with release after
// the bytes, `full` with release when the thread has taken its next block, and the tool reads that with acquire.
//
// A stream is a row of records, in the order in which its thread made the calls that they are for:
//
//   kind (1 byte), call (1 byte, src/mpi/calls.h), n (varint), n numbers (zigzag), m (varint), m bytes
//
// Freestanding: used inside the recorded program.
#pragma once
#include <stdint.h>

namespace ana {

constexpr uint64_t kLiveContentsMagic = 0x0a6576696c746e63ull;    // "cntlive\n"
constexpr uint64_t kPackedContentsMagic = 0x0a6b6170746e6f63ull;  // "contpak\n"
constexpr uint32_t kContentsVersion = 1;
constexpr uint64_t kContentsBlockBytes = 256 * 1024;

struct LiveContentsHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t rank;
  uint64_t id;         // of the recording
  uint32_t blocks;     // in use, block 0 included
  uint32_t finalized;  // the rank came out of MPI_Finalize
};
static_assert(sizeof(LiveContentsHeader) == 32);

struct LiveContentsBlock {
  uint32_t stream;
  uint32_t used;  // bytes
  uint32_t full;
  uint32_t reserved;
};
static_assert(sizeof(LiveContentsBlock) == 16);
constexpr uint64_t kContentsCapacity = kContentsBlockBytes - sizeof(LiveContentsBlock);

enum class ContentKind : uint8_t {
  kNumbers = 1,  // result, then what the call told
  kMessage = 2,  // result, source, tag, 1 if cancelled, bytes of the message; what came into the buffer
  kArea = 3,     // result; what a collective wrote
  kFreed = 4,    // number of a receive that was freed while active, calls of the thread so far; its message follows
  kText = 5,     // result; the text
  kSent = 6,     // a hash of what was sent
};
constexpr uint8_t kLastContentKind = 6;

}  // namespace ana
