// What a rank got from MPI, as the tools see it (rank_contents.h has the files): written while the rank runs, and read
// piece by piece, since it can be larger than memory. Used from one thread. Nothing in a file is trusted.
#pragma once
#include <stdint.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/chunk_file.h"
#include "trace/rank_contents.h"
#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

std::string contents_file_name(uint32_t rank);
std::string live_contents_file_name(uint32_t rank);

// The recorder's side.
class ContentsWriter {
 public:
  // Makes both files.
  static Result<ContentsWriter> create(int directory, uint32_t rank, uint64_t id);
  // Moves what is full from the live file to the packed one.
  Status drain() { return drain(false); }
  // After the end of the rank: moves all the rest, and removes the live file from `directory`.
  Status finish(int directory);

 private:
  ContentsWriter(uint32_t rank, UniqueFd live, UniqueFd packed)
      : rank_(rank), live_(std::move(live)), packed_(std::move(packed)) {}
  Status drain(bool all);
  // Its bytes; nothing: not full yet.
  Result<std::optional<std::vector<uint8_t>>> read_block(uint64_t index, bool all, uint32_t& stream);

  uint32_t rank_;
  UniqueFd live_, packed_;
  uint64_t offset_ = 0;  // in the packed file
  uint64_t next_ = 1;    // block
};

class ContentsReader {
 public:
  static Result<ContentsReader> open(int directory, uint32_t rank);

  uint64_t id() const { return id_; }
  bool finalized() const { return finalized_; }
  uint64_t raw_bytes() const { return raw_bytes_; }
  uint64_t stored_bytes() const { return stored_bytes_; }
  std::vector<uint32_t> streams() const;
  // The next piece of a stream, at most kMaxChunkBytes; empty: there is no more.
  Result<std::vector<uint8_t>> next(uint32_t stream);

 private:
  struct Piece {
    bool live;
    uint64_t offset;
  };
  struct Stream {
    std::vector<Piece> pieces;
    size_t next = 0;
  };
  explicit ContentsReader(uint32_t rank) : name_(contents_file_name(rank)), rank_(rank) {}
  Status scan_packed(bool has_live, uint64_t& chunks);
  Status scan_live(uint64_t first);
  Status describe(const std::vector<uint8_t>& text, bool end, uint64_t chunks);

  std::string name_;
  uint32_t rank_;
  Mapping packed_, live_;
  std::map<uint32_t, Stream> streams_;
  uint64_t id_ = 0, raw_bytes_ = 0, stored_bytes_ = 0;
  bool finalized_ = false, complete_ = false;
};

// Reads all of it, and checks that it consists of whole records. `cut`: the rank died, so the last one of a stream may
// be torn.
Status check_contents(ContentsReader& contents, bool cut);

}  // namespace ana
