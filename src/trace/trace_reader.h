// Reads a trace directory. Nothing in it is trusted: sizes are bounded before memory is asked for, every chunk is
// checked against its hash, every error says where.
//
// A trace whose recorder was killed has no end; it is read up to its last intact chunk, and `lost_bytes` says how much
// of the file comes after that. In a trace with an end, anything missing is an error.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/actions.h"
#include "trace/chunk_format.h"
#include "trace/manifest.h"
#include "trace/packed_files.h"
#include "trace/result.h"
#include "trace/stream_decoder.h"
#include "trace/unique_fd.h"

namespace ana {

class TraceReader;

// The actions of one slot, in order. Its reader must outlive it.
class StreamCursor {
 public:
  // The next action; nothing at the end of the stream. The bytes of a value are valid until the next call.
  Result<std::optional<Action>> next();
  // Raw bytes at the end that are not a whole record; known once next() has returned nothing.
  uint64_t unfinished_bytes() const { return decoder_.unfinished_bytes(); }
  uint64_t offset() const { return decoder_.offset(); }

 private:
  friend class TraceReader;
  StreamCursor(const TraceReader& reader, uint32_t slot);
  // The first `bytes` of a chunk, of the trace itself or of one that it continues.
  struct Piece {
    const TraceReader* from;
    size_t chunk;
    uint64_t bytes;
  };

  const TraceReader* reader_;
  uint32_t slot_;
  std::vector<Piece> pieces_;
  size_t next_piece_ = 0;
  StreamDecoder decoder_;
  std::vector<uint8_t> raw_;
};

// In the trace of a forked child: the slot's thread was there when another one forked, and is not in the child.
struct LeftBehind {
  uint64_t offset;  // in the slot's stream
  ForkPoint point;
};

class TraceReader {
 public:
  static Result<TraceReader> open(const std::string& directory);

  const std::string& directory() const { return directory_; }
  const Manifest& manifest() const { return manifest_; }
  const PackedFiles& packed() const { return packed_; }
  // The program, in the trace if that is packed.
  std::string program_file() const { return packed_.find(manifest_.program.path); }
  bool has_end() const { return manifest_.end.has_value(); }
  uint32_t slots() const;
  uint64_t file_bytes() const { return file_bytes_; }
  // Of all that is to be read: also what a forked child shares with its parent.
  uint64_t raw_bytes() const;
  uint64_t raw_bytes(uint32_t slot) const;
  // Of a forked child: its parent's, else null. How many forks led to it. Where the first process of all has its files.
  const TraceReader* parent() const { return parent_.get(); }
  uint32_t forks() const { return parent_ ? parent_->forks() + 1 : 0; }
  const TraceReader& first() const { return parent_ ? parent_->first() : *this; }
  std::vector<LeftBehind> left_behind(uint32_t slot) const;
  uint64_t chunks() const { return chunk_count_; }
  uint64_t lost_bytes() const { return lost_bytes_; }
  // Of a trace without an end: where the slots were seen last. Later records may be there, earlier ones all are.
  const std::vector<SlotPosition>& positions() const { return positions_; }

  StreamCursor stream(uint32_t slot) const { return StreamCursor(*this, slot); }

 private:
  friend class StreamCursor;
  struct Chunk {
    uint64_t offset;  // of its header
    ChunkHeader header;
  };

  static Result<TraceReader> open(const std::string& directory, uint32_t forks_after);
  Status open_parent(uint32_t forks_after);
  uint64_t continues_at(uint32_t slot) const;  // bytes of its stream that are its parent's
  void list_pieces(uint32_t slot, uint64_t limit, std::vector<StreamCursor::Piece>& to) const;
  Status read_index();
  // Empty at the end of the intact part of the file; `problem` then says what stopped it, if anything did.
  std::optional<Chunk> read_header(uint64_t offset, std::string& problem) const;
  Status check_totals() const;
  Status read_chunk(const Chunk& chunk, std::vector<uint8_t>& raw) const;
  void read_positions(const Chunk& chunk);

  std::string directory_;
  Manifest manifest_;
  PackedFiles packed_;
  UniqueFd file_;
  uint64_t file_bytes_ = 0;
  uint64_t raw_bytes_ = 0;
  uint64_t chunk_count_ = 0;
  uint64_t lost_bytes_ = 0;
  std::vector<std::vector<Chunk>> chunks_;  // by slot
  std::vector<SlotPosition> positions_;     // by slot
  std::shared_ptr<const TraceReader> parent_;
};

}  // namespace ana
