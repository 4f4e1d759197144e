// How a rank and the tool that runs it talk: packets on a socket whose number is in $ANAPHORA_MPI, and one page of
// shared memory. The rank asks once, in MPI_Init; what it sends later is a Report before it gives up.
//
// Freestanding: used inside the recorded program.
#pragma once
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

#include "trace/outside.h"
#include "trace/rank_contents.h"
#include "trace/rank_format.h"

namespace ana {

// If it is a pipe: until its reader has taken everything out of it, at most ten seconds. MPICH's launcher drops what it
// has not read when a job ends early.
inline void wait_until_read(int fd) {
  struct stat status;
  if (::fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  constexpr timespec kNap{0, 1'000'000};
  int bytes = 0;
  for (int i = 0; i < 10'000 && ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0; i++) ::nanosleep(&kNap, nullptr);
}

// kRankLinkVariable (outside.h) is "<socket> <page> <schedule> <window>": numbers of descriptors; the schedule's is
// -1 when recording, the window's if the rank is not replayed alone. The socket's is -1 if a debugger has the rank, of
// which there may be many copies then, at different places (debug/rank_replica.h): nobody is asked, the reply is in the
// schedule and the whole contents are in the window; the page is the rank's own.
constexpr uint32_t kMaxRankPath = 2048;

struct RankHello {
  uint32_t version;  // kRankVersion
  uint32_t rank, ranks;
  uint32_t thread_level;
  uint64_t id;                   // what rank 0 was told; 0 in rank 0
  char directory[kMaxRankPath];  // the same
};

struct RankReply {
  uint32_t ok;
  uint32_t mode;        // RankMode
  uint32_t full_check;  // every call is checked
  uint32_t chaos;       // up to so many microseconds of delay before sends and receives
  uint32_t finished;    // replay: this rank came to MPI_Finalize
  uint32_t permits;     // replay: messages that raced are sent when their receives are due
  uint32_t race_graph;  // record: RankOptions::race_graph
  uint32_t timeout_seconds;  // replay: without a call, after which the tool ends the rank; 0: never
  uint32_t contents;   // record: save what the rank gets; replay: it was saved
  uint32_t alone;      // replay: only this rank, which gets what was saved
  uint32_t finalized;  // alone: the rank came out of MPI_Finalize
  uint32_t rank, ranks;  // alone: what it was in the recording
  uint32_t whole;        // alone: the window has all of the contents, behind a RankWindowHeader
  uint64_t racing_after;     // record: RankOptions::racing_after
  uint64_t id;
  char directory[kMaxRankPath];
  char text[1024];  // if not ok, for the user
};

enum class RankReportKind : uint32_t {
  kDiverged = 1,   // another call, or with other arguments
  kLeftover = 2,   // MPI_Finalize, and the recording goes on
  kUnsupported = 3,
  kEndOfTrace = 4,  // the recording ends here: not an error
};

struct RankReport {
  uint32_t kind;
  uint32_t rank;
  uint64_t call_number;
  char call[48];
  char module[1024];
  uint64_t offset;  // of the call, in the module
  char text[512];
};

// Alone: the rank asks for the next piece of the contents of a stream. The tool puts it into the window, a shared memory
// with the room of a block for each stream.
constexpr uint64_t kContentsWindowBytes = kMaxStreams * kContentsBlockBytes;
struct RankMore {
  uint32_t stream;
  uint32_t reserved;
};
struct RankPiece {
  uint32_t ok;
  uint32_t bytes;   // 0: there is no more
  char text[1024];  // if not ok, for the user
};

// What the window has for a debugger.
struct RankWindowHeader {
  struct {
    uint64_t offset, bytes;  // in the window
  } stream[kMaxStreams];
};

// Written by the rank, read by the tool. A rank that a debugger has maps it privately, so that each copy has its own.
constexpr const char* kRankPageName = "anaphora-rank";
// In a rank that a debugger has, the first thread comes by this function of the library once in each call that it counts.
constexpr const char* kCallBegins = "ana_call_begins";
// And by this one at the end of MPI_Init.
constexpr const char* kRankStarts = "ana_rank_starts";
struct RankPage {
  uint64_t calls[kMaxStreams];
  uint64_t progress;  // changes whenever the rank does something
  uint64_t held;      // sends that waited for a permit, with --control-messages
  uint64_t hurried;   // those of them that went without
  // For a debugger.
  uint64_t debugged;         // there is one
  uint64_t threads_made;     // by the program, not by MPI
};

// The schedule of a replay: this, then the bytes of the streams.
struct RankScheduleStream {
  uint32_t stream;
  uint32_t inside;         // of the last call
  uint64_t offset, bytes;  // in the file
  uint64_t calls;          // that the thread had begun
};

// A message that this rank sends and that raced where it was received: it goes by the shadow of its communicator.
struct RankRacing {
  uint64_t communicator;
  uint64_t index;  // in the channel, from 1
  int32_t destination, tag;
};

// How many messages of a channel from this rank were received. What it sends beyond goes by the shadow as well, where
// nobody takes it. With tag kAllTags: of channels to there without such an entry, none was.
struct RankLimit {
  uint64_t communicator;
  uint64_t count;
  int32_t destination, tag;
};
constexpr int32_t kAllTags = -1;

struct RankScheduleHeader {
  uint64_t magic;  // kLiveMagic
  uint32_t streams;
  uint32_t racing;         // RankRacing, at racing_offset
  uint64_t racing_offset;
  uint64_t limits;         // RankLimit, at limits_offset
  uint64_t limits_offset;
  uint64_t reply_offset;   // RankReply; 0: it is asked for
  RankScheduleStream stream[kMaxStreams];
};

}  // namespace ana
