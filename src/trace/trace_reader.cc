#include "trace/trace_reader.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>

#include "trace/chunk_coding.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

namespace {

constexpr uint32_t kMaxForks = 64;  // one after the other; each opens a trace

Status read_exactly(int fd, void* to, size_t size, uint64_t offset) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    ssize_t n = ::pread(fd, at, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("cannot read streams", errno);
    if (n == 0) return Error{fmt::format("streams ends at offset {}, in the middle of a chunk", offset)};
    at += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
  return {};
}

}  // namespace

Result<TraceReader> TraceReader::open(const std::string& directory) { return open(directory, 0); }

Result<TraceReader> TraceReader::open(const std::string& directory, uint32_t forks_after) {
  auto fd = open_trace_directory(directory);
  if (!fd) return fd.error();
  auto manifest = read_manifest(fd->get());
  if (!manifest) return Error{directory + ": " + manifest.error().text};
  auto file = open_file(fd->get(), kStreamsName);
  if (!file) return Error{directory + ": " + file.error().text};
  auto packed = PackedFiles::open(directory);
  if (!packed) return Error{directory + ": " + packed.error().text};
  TraceReader reader;
  reader.packed_ = std::move(*packed);
  reader.directory_ = directory;
  reader.manifest_ = std::move(*manifest);
  reader.file_ = std::move(*file);
  if (Status s = reader.read_index(); !s) return Error{directory + ": " + s.error().text};
  if (Status s = reader.open_parent(forks_after); !s) return s.error();
  return reader;
}

Status TraceReader::open_parent(uint32_t forks_after) {
  if (!manifest_.forked) return {};
  if (forks_after == kMaxForks) return Error{directory_ + ": it comes after more forks than can be"};
  auto parent = open(directory_ + "/" + manifest_.forked->parent, forks_after + 1);
  if (!parent) return Error{fmt::format("{}: the process was forked by another, whose trace it needs: {}", directory_,
                                        parent.error().text)};
  for (uint32_t i = 0; i < manifest_.forked->points.size(); i++) {
    if (parent->raw_bytes(i) < continues_at(i))
      return Error{directory_ + ": the trace of the process that forked it ends before the fork"};
  }
  parent_ = std::make_shared<const TraceReader>(std::move(*parent));
  return {};
}

uint64_t TraceReader::continues_at(uint32_t slot) const {
  bool was_there = manifest_.forked && slot < manifest_.forked->points.size();
  return was_there ? manifest_.forked->points[slot].logged : 0;
}

uint32_t TraceReader::slots() const {
  size_t forked = manifest_.forked ? manifest_.forked->points.size() : 0;
  return static_cast<uint32_t>(std::max(chunks_.size(), forked));
}

uint64_t TraceReader::raw_bytes() const {
  uint64_t sum = raw_bytes_;
  for (uint32_t i = 0; manifest_.forked && i < manifest_.forked->points.size(); i++) sum += continues_at(i);
  return sum;
}

std::vector<LeftBehind> TraceReader::left_behind(uint32_t slot) const {
  std::vector<LeftBehind> all;
  if (parent_) all = parent_->left_behind(slot);
  if (!parent_ || slot >= manifest_.forked->points.size() || slot == manifest_.forked->slot) return all;
  // What its parent was left by later is not the child's.
  const ForkPoint& point = manifest_.forked->points[slot];
  std::erase_if(all, [&](const LeftBehind& other) { return other.offset > point.logged; });
  if (point.alive) all.push_back({point.logged, point});
  return all;
}

void TraceReader::list_pieces(uint32_t slot, uint64_t limit, std::vector<StreamCursor::Piece>& to) const {
  uint64_t at = continues_at(slot);
  if (parent_) parent_->list_pieces(slot, std::min(limit, at), to);
  for (size_t i = 0; slot < chunks_.size() && i < chunks_[slot].size() && at < limit; i++) {
    uint64_t bytes = std::min<uint64_t>(chunks_[slot][i].header.raw_bytes, limit - at);
    to.push_back({this, i, bytes});
    at += bytes;
  }
}

StreamCursor::StreamCursor(const TraceReader& reader, uint32_t slot) : reader_(&reader), slot_(slot) {
  reader.list_pieces(slot, ~uint64_t{0}, pieces_);
}

Status TraceReader::read_index() {
  struct stat info;
  if (::fstat(file_.get(), &info) != 0) return system_error("cannot stat streams", errno);
  file_bytes_ = static_cast<uint64_t>(info.st_size);
  FileHeader header;
  if (file_bytes_ < sizeof header) return Error{"streams is shorter than its header"};
  if (Status s = read_exactly(file_.get(), &header, sizeof header, 0); !s) return s;
  if (header.magic != kStreamsMagic) return Error{"streams does not begin like a file of streams"};
  if (header.format != kTraceFormat || header.stream_version != kStreamVersion) {
    return Error{fmt::format("streams has format {}.{}, its manifest says {}.{}", header.format, header.stream_version,
                             kTraceFormat, kStreamVersion)};
  }
  uint64_t offset = sizeof header;
  std::string problem;
  std::vector<uint8_t> raw;
  std::optional<Chunk> last, positions;
  while (auto chunk = read_header(offset, problem)) {
    if (last && last->header.magic == kPositionsMagic) positions = last;
    if (chunk->header.magic == kPositionsMagic) {
      // Nobody would find it out later.
      if (has_end() && !read_chunk(*chunk, raw))
        return Error{fmt::format("streams is damaged: the positions at offset {} are not what was written", offset)};
    } else {
      uint32_t slot = chunk->header.slot;
      if (slot >= chunks_.size()) chunks_.resize(slot + 1);
      chunks_[slot].push_back(*chunk);
    }
    raw_bytes_ += chunk->header.raw_bytes;
    chunk_count_++;
    offset += sizeof(ChunkHeader) + chunk->header.stored_bytes;
    last = chunk;
  }
  if (has_end()) return problem.empty() ? check_totals() : Status(Error{problem});
  // The recorder was killed. Its last write may be torn: length right, contents not.
  if (last && !read_chunk(*last, raw)) {
    if (last->header.magic != kPositionsMagic) chunks_[last->header.slot].pop_back();
    raw_bytes_ -= last->header.raw_bytes;
    chunk_count_--;
    offset = last->offset;
  } else if (last && last->header.magic == kPositionsMagic) {
    positions = last;
  }
  if (positions) read_positions(*positions);
  lost_bytes_ = file_bytes_ - offset;
  return {};
}

std::optional<TraceReader::Chunk> TraceReader::read_header(uint64_t offset, std::string& problem) const {
  if (offset == file_bytes_) return std::nullopt;
  auto stop = [&](const std::string& what) {
    problem = fmt::format("streams is damaged at offset {}: {}", offset, what);
    return std::nullopt;
  };
  if (file_bytes_ - offset < sizeof(ChunkHeader)) return stop("the header of a chunk is cut off");
  Chunk chunk{offset, {}};
  if (Status s = read_exactly(file_.get(), &chunk.header, sizeof chunk.header, offset); !s) return stop(s.error().text);
  const ChunkHeader& h = chunk.header;
  bool known = h.magic == kChunkMagic || h.magic == kRestartMagic || h.magic == kPositionsMagic;
  if (!known) return stop("a chunk should begin here");
  if (h.slot >= kMaxSlots) return stop("the slot of a chunk cannot exist");
  if (h.raw_bytes == 0 || h.raw_bytes > kMaxChunkBytes || h.stored_bytes > kMaxStoredBytes) {
    return stop("the size of a chunk cannot be true");
  }
  if (h.stored_bytes > file_bytes_ - offset - sizeof h) return stop("a chunk is cut off");
  return chunk;
}

Status TraceReader::check_totals() const {
  const StreamTotals& expected = manifest_.totals;
  if (expected.chunks == chunk_count_ && expected.raw_bytes == raw_bytes_ && expected.file_bytes == file_bytes_)
    return {};
  return Error{fmt::format("streams is damaged: it has {} bytes in {} chunks, the manifest says {} in {}", file_bytes_,
                           chunk_count_, expected.file_bytes, expected.chunks)};
}

Status TraceReader::read_chunk(const Chunk& chunk, std::vector<uint8_t>& raw) const {
  const ChunkHeader& h = chunk.header;
  std::vector<uint8_t> stored(h.stored_bytes);
  if (Status s = read_exactly(file_.get(), stored.data(), stored.size(), chunk.offset + sizeof h); !s) return s;
  raw.resize(h.raw_bytes);
  if (!decode_chunk(stored.data(), stored.size(), raw.data(), raw.size()) ||
      coded_chunk_hash(h, chunk.offset, stored.data(), raw.data()) != h.hash) {
    return Error{fmt::format("{}: streams is damaged: the chunk of slot {} at offset {} is not what was written",
                             directory_, h.slot, chunk.offset)};
  }
  return {};
}

void TraceReader::read_positions(const Chunk& chunk) {
  std::vector<uint8_t> raw;
  if (!read_chunk(chunk, raw)) return;
  positions_.resize(std::min<size_t>(raw.size() / sizeof(SlotPosition), kMaxSlots));
  memcpy(positions_.data(), raw.data(), positions_.size() * sizeof(SlotPosition));
}

uint64_t TraceReader::raw_bytes(uint32_t slot) const {
  uint64_t sum = continues_at(slot);
  if (slot < chunks_.size()) {
    for (const Chunk& chunk : chunks_[slot]) sum += chunk.header.raw_bytes;
  }
  return sum;
}

Result<std::optional<Action>> StreamCursor::next() {
  Action action;
  for (;;) {
    switch (decoder_.next(action)) {
      case StreamDecoder::Outcome::kAction:
        return std::optional<Action>(action);
      case StreamDecoder::Outcome::kMalformed:
        return Error{fmt::format("{}: slot {}: {}", reader_->directory_, slot_, decoder_.problem())};
      case StreamDecoder::Outcome::kNeedMore:
        break;
    }
    if (next_piece_ == pieces_.size()) {
      if (reader_->has_end() && decoder_.unfinished_bytes() > 0) {
        return Error{fmt::format("{}: slot {}: the stream ends in the middle of a record, at stream offset {}",
                                 reader_->directory_, slot_, decoder_.offset())};
      }
      return std::optional<Action>();
    }
    const Piece& piece = pieces_[next_piece_++];
    const TraceReader::Chunk& chunk = piece.from->chunks_[slot_][piece.chunk];
    if (Status s = piece.from->read_chunk(chunk, raw_); !s) return s.error();
    if (chunk.header.magic == kRestartMagic) decoder_.restart();
    decoder_.feed(raw_.data(), piece.bytes);
  }
}

}  // namespace ana
