// The trace of one MPI rank while it is recorded: a file that the rank maps shared and writes into, so that whatever
// ends the rank, SIGKILL included, leaves all that it recorded. docs/format.md describes it, and the packed form that
// the recorder makes of it at the end.
//
//   block 0     LiveHeader, then `json_bytes` of JSON: what runs here
//   block 1     the sites (SiteRecord), then `names`
//   block 2..   LiveBlock, then `used` bytes of the events of one stream, or of LiveReceived
//
// Who writes: the rank only. `used` and `pending_no` of a block are the business of the one thread whose stream it is,
// stored with release after the bytes; the tool reads after the rank has ended.
//
// Freestanding: used inside the recorded program.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ana {

constexpr uint64_t kLiveMagic = 0x0a6576696c6b6e72ull;    // "rnklive\n"
constexpr uint64_t kPackedMagic = 0x0a6b61706b6e6172ull;  // "rankpak\n"
constexpr uint32_t kRankVersion = 6;

constexpr uint64_t kLiveBlockBytes = 64 * 1024;
constexpr uint64_t kLiveJsonOffset = 4096;
constexpr uint32_t kFirstEventBlock = 2;
constexpr uint32_t kMaxStreams = 256;     // threads of a rank that call MPI

enum class RankMode : uint32_t { kAll = 0, kWildcard = 1, kRacing = 2, kAuto = 3 };

// Mode auto: after so many receives of any source a rank looks for races.
constexpr uint64_t kRacingAfter = 1 << 20;

// How many messages of a channel were received; with timestamps. One with kAllSources is for the communicator: 1 if
// messages that were not received matter, since there are receives of any source that are not in the trace.
struct LiveReceived {
  uint64_t communicator;
  int32_t source, tag;
  uint64_t count;
};
static_assert(sizeof(LiveReceived) == 24);
constexpr int32_t kAllSources = -1;
constexpr uint32_t kReceivedBlock = 0xfffffffe;  // LiveBlock::stream

struct LiveHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t rank, ranks;
  uint32_t mode;      // RankMode
  uint32_t blocks;    // in use
  uint32_t finished;  // MPI_Finalize was reached
  uint32_t json_bytes;
  uint32_t aborted;     // MPI_Abort was called
  uint32_t unreceived;  // finished, and messages were left
  uint32_t reserved;
  uint64_t id;       // of the recording, the same in all ranks
  // For `anaphora stats`.
  uint64_t messages_sent, messages_received;
  uint64_t wildcard_receives;
  uint64_t traced;  // receives that are in the trace
  uint64_t raced;   // messages that an earlier receive could have got: what the paper traces
  uint64_t outcomes, no_outcomes;
  uint64_t hints_sent, hint_bytes;
  uint64_t probed;  // probes of any source that found a message
  uint64_t opened;  // mode auto: how often the rank began to look for races
  uint64_t calls[kMaxStreams];  // of each thread: begun << 1 | 1 if the last one is over
};
static_assert(sizeof(LiveHeader) <= kLiveJsonOffset);

struct LiveBlock {
  uint32_t stream;
  uint32_t used;        // bytes of events
  uint64_t pending_no;  // how often in a row the answer has been "no" since the last event
};
static_assert(sizeof(LiveBlock) == 16);
constexpr uint64_t kBlockCapacity = kLiveBlockBytes - sizeof(LiveBlock);

// A place in the program that receives from any source.
struct SiteRecord {
  uint64_t offset;     // in its module
  uint32_t module;     // offset in `names`; a site without an entry in the table has offset 0
  uint32_t call;       // MpiCall
  uint64_t receives;   // from any source
  uint64_t raced;      // of these, how many took a message that could have gone to an earlier receive
  uint64_t sources;    // bit i: has received from rank i (63: or above)
  uint64_t racing;     // the same for messages that raced
};
static_assert(sizeof(SiteRecord) == 48);
constexpr uint32_t kMaxSites = 512;
constexpr uint64_t kNamesBytes = kLiveBlockBytes - kMaxSites * sizeof(SiteRecord) - 8;

struct SiteTable {
  uint32_t sites;
  uint32_t names_used;
  SiteRecord site[kMaxSites];
  char names[kNamesBytes];
};
static_assert(sizeof(SiteTable) == kLiveBlockBytes);

}  // namespace ana
