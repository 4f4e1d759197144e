// What other processes printed while a program was recorded (relay_control.h), in the file `printed` of its trace.
// There is none if they printed nothing. Used from one thread. Nothing in a file is trusted.
//
// A FileHeader, then chunks (chunk_format.h) whose slots are channels: the raw bytes of a channel's chunks, in the
// order of the file, are what came through it. A PrintedEnd follows when nobody was left who could print. A process may
// outlive the program and its recording, and the relay may be killed: a file without an end is read as far as it is
// intact.
#pragma once
#include <stdint.h>

#include <vector>

#include "trace/relay_control.h"
#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

constexpr const char* kPrintedName = "printed";
constexpr uint64_t kPrintedMagic = 0x0a6465746e697270ull;     // "printed\n"
constexpr uint64_t kPrintedEndMagic = 0x0a646e65746e7270ull;  // "prntend\n"
constexpr uint32_t kPrintedVersion = 1;

struct PrintedEnd {
  uint64_t magic;
  uint64_t bytes[kChannels];
  uint64_t hash;  // XXH64 of the above; seed: its place in the file
};
static_assert(sizeof(PrintedEnd) == 32);

// The relay's side.
class PrintedWriter {
 public:
  explicit PrintedWriter(int directory) : directory_(directory) {}
  Status append(uint32_t channel, const char* bytes, size_t size);
  // Writes whatever is collected.
  Status flush();
  // Nobody can print any more.
  Status finish();
  bool has_collected() const { return !collected_[0].empty() || !collected_[1].empty(); }
  uint64_t file_bytes() const { return offset_; }

 private:
  Status create();
  Status write_collected(uint32_t channel);

  int directory_;
  UniqueFd file_;  // made when there is something to write
  uint64_t offset_ = 0;
  std::vector<uint8_t> collected_[kChannels];
  uint64_t bytes_[kChannels] = {};
};

struct Printed {
  UniqueFd channel[kChannels];  // in memory; not valid: nothing came through it
  uint64_t bytes[kChannels] = {};
  bool has_end = true;
  uint64_t lost_bytes = 0;      // of a file without an end: behind what is intact
};

// Of the trace in `directory`.
Result<Printed> read_printed(int directory);

}  // namespace ana
