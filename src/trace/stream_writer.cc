#include "trace/stream_writer.h"

#include <fmt/format.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

#include "trace/session.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

namespace {
// Streams are short and the recorder shares the machine with the program: speed before size.
constexpr int kCompressionLevel = 1;
}  // namespace

uint64_t chunk_hash(const ChunkHeader& header, uint64_t file_offset, const uint8_t* raw) {
  uint64_t seed = XXH64(&header, kHashedHeaderBytes, file_offset);
  return XXH64(raw, header.raw_bytes, seed);
}

void StreamWriter::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

StreamWriter::StreamWriter(UniqueFd file) : file_(std::move(file)), context_(ZSTD_createCCtx()) {
  out_.resize(sizeof(ChunkHeader) + std::max<size_t>(ZSTD_compressBound(kMaxChunkBytes), kMaxStoredBytes));
}

Result<StreamWriter> StreamWriter::create(int directory) {
  auto file = create_file(directory, kStreamsName);
  if (!file) return file.error();
  StreamWriter writer(std::move(*file));
  FileHeader header{kStreamsMagic, kTraceFormat, kStreamVersion};
  if (Status s = write_all(writer.file_.get(), &header, sizeof header); !s) return s.error();
  writer.totals_.file_bytes = sizeof header;
  return writer;
}

StreamWriter::Slot& StreamWriter::slot_at(uint32_t slot) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  return slots_[slot];
}

const StreamFollower* StreamWriter::follower(uint32_t slot) const {
  return slot < slots_.size() ? &slots_[slot].follower : nullptr;
}

uint64_t StreamWriter::raw_bytes(uint32_t slot) const { return slot < slots_.size() ? slots_[slot].raw_bytes : 0; }

Status StreamWriter::append(uint32_t slot, const uint8_t* bytes, size_t size) {
  Slot& s = slot_at(slot);
  s.follower.feed(bytes, size);
  s.raw_bytes += size;
  while (size > 0) {
    size_t step = std::min(size, kMaxChunkBytes - s.collected.size());
    s.collected.insert(s.collected.end(), bytes, bytes + step);
    bytes += step;
    size -= step;
    if (s.collected.size() < kMaxChunkBytes) continue;
    if (Status w = write_chunk(kChunkMagic, slot, s.collected.data(), s.collected.size()); !w) return w;
    s.collected.clear();
  }
  return {};
}

Status StreamWriter::flush() {
  for (uint32_t i = 0; i < slots_.size(); i++) {
    Slot& s = slots_[i];
    if (s.collected.empty()) continue;
    if (Status w = write_chunk(kChunkMagic, i, s.collected.data(), s.collected.size()); !w) return w;
    s.collected.clear();
  }
  return {};
}

Status StreamWriter::put_positions(const std::vector<SlotPosition>& positions) {
  if (positions.empty()) return {};
  return write_chunk(kPositionsMagic, 0, reinterpret_cast<const uint8_t*>(positions.data()),
                     positions.size() * sizeof(SlotPosition));
}

Status StreamWriter::put_end(uint32_t slot, uint64_t count, const StreamEnd& end) {
  Slot& s = slot_at(slot);
  if (!s.follower.valid()) return Error{fmt::format("the stream of slot {} is damaged", slot)};
  if (Status w = flush(); !w) return w;
  // The count in shared memory is at least that of the last record; a program that scribbled over it is not believed.
  uint64_t delta = std::max(count, s.follower.count()) - s.follower.count();
  delta = std::min(delta, ~uint64_t{0} >> 2);
  uint8_t record[4 * kMaxVarint + sizeof end];
  uint32_t n = put_varint(record, delta << 2 | static_cast<uint32_t>(RecordKind::kValue));
  n += put_varint(record + n, kOpEnd);
  n += put_varint(record + n, zigzag(0));
  n += put_varint(record + n, sizeof end);
  memcpy(record + n, &end, sizeof end);
  n += sizeof end;
  uint32_t magic = s.follower.between_records() ? kChunkMagic : kRestartMagic;
  s.raw_bytes += n;
  return write_chunk(magic, slot, record, n);
}

Status StreamWriter::write_chunk(uint32_t magic, uint32_t slot, const uint8_t* bytes, size_t size) {
  uint8_t* data = out_.data() + sizeof(ChunkHeader);
  size_t stored =
      ZSTD_compressCCtx(context_.get(), data, out_.size() - sizeof(ChunkHeader), bytes, size, kCompressionLevel);
  if (ZSTD_isError(stored)) return Error{fmt::format("cannot compress: {}", ZSTD_getErrorName(stored))};
  ChunkHeader header{magic, slot, static_cast<uint32_t>(size), static_cast<uint32_t>(stored), 0};
  header.hash = chunk_hash(header, totals_.file_bytes, bytes);
  memcpy(out_.data(), &header, sizeof header);
  if (Status w = write_all(file_.get(), out_.data(), sizeof header + stored); !w) {
    return Error{fmt::format("the trace cannot be written ({})", w.error().text)};
  }
  totals_.chunks++;
  totals_.raw_bytes += size;
  totals_.file_bytes += sizeof header + stored;
  return {};
}

}  // namespace ana
