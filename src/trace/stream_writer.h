// Writes the file `streams` of a trace (chunk_format.h): collects the bytes of each slot and writes them as compressed
// chunks. Used by the recorder, from one thread.
#pragma once
#include <vector>

#include "trace/chunk_coding.h"
#include "trace/chunk_format.h"
#include "trace/result.h"
#include "trace/stream_follower.h"
#include "trace/stream_format.h"
#include "trace/unique_fd.h"

namespace ana {

// What the manifest says about the file, so that a truncated one is noticed.
struct StreamTotals {
  uint64_t chunks = 0;
  uint64_t raw_bytes = 0;
  uint64_t file_bytes = 0;
};

class StreamWriter {
 public:
  static Result<StreamWriter> create(int directory);
  StreamWriter(StreamWriter&&) = default;
  StreamWriter& operator=(StreamWriter&&) = default;

  // The stream of the slot continues one of another file, whose last record had this count. Before anything of it comes.
  void begin_at(uint32_t slot, uint64_t count) { slot_at(slot).follower.begin_at(count); }
  Status append(uint32_t slot, const uint8_t* bytes, size_t size);
  // Writes whatever is collected.
  Status flush();
  // Behind a flush of all that the slots had logged before they came there.
  Status put_positions(const std::vector<SlotPosition>& positions);
  // Ends the stream of a thread that did not end by itself. What it had written of an unfinished record is dropped.
  Status put_end(uint32_t slot, uint64_t count, const StreamEnd& end);

  const StreamTotals& totals() const { return totals_; }
  const StreamFollower* follower(uint32_t slot) const;
  uint64_t raw_bytes(uint32_t slot) const;

 private:
  struct Slot {
    std::vector<uint8_t> collected;
    StreamFollower follower;
    StreamFollower at_collected;  // before what is collected
    uint64_t raw_bytes = 0;
  };

  explicit StreamWriter(UniqueFd file);
  Slot& slot_at(uint32_t slot);
  Status write_collected(uint32_t slot);
  // A record begins at `first_record`; see ChunkEncoder.
  Status write_chunk(uint32_t magic, uint32_t slot, const uint8_t* bytes, size_t size, size_t first_record);

  UniqueFd file_;
  ChunkEncoder encoder_;
  std::vector<uint8_t> out_;
  std::vector<Slot> slots_;
  StreamTotals totals_;
};

}  // namespace ana
