#include "trace/stream_writer.h"

#include <fmt/format.h>
#include <string.h>
#include <xxhash.h>

#include <algorithm>

#include "trace/session.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

uint64_t chunk_hash(const ChunkHeader& header, uint64_t file_offset, const uint8_t* raw) {
  uint64_t seed = XXH64(&header, kHashedHeaderBytes, file_offset);
  return XXH64(raw, header.raw_bytes, seed);
}

uint64_t coded_chunk_hash(const ChunkHeader& header, uint64_t file_offset, const uint8_t* stored, const uint8_t* raw) {
  uint64_t seed = XXH64(&header, kHashedHeaderBytes, file_offset);
  return XXH64(raw, header.raw_bytes, XXH64(stored, header.stored_bytes, seed));
}

StreamWriter::StreamWriter(UniqueFd file) : file_(std::move(file)) {}

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
  while (size > 0) {
    if (s.collected.empty()) s.at_collected = s.follower;
    size_t step = std::min(size, kMaxChunkBytes - s.collected.size());
    s.follower.feed(bytes, step);
    s.collected.insert(s.collected.end(), bytes, bytes + step);
    s.raw_bytes += step;
    bytes += step;
    size -= step;
    if (s.collected.size() < kMaxChunkBytes) continue;
    if (Status w = write_collected(slot); !w) return w;
  }
  return {};
}

Status StreamWriter::flush() {
  for (uint32_t i = 0; i < slots_.size(); i++) {
    if (slots_[i].collected.empty()) continue;
    if (Status w = write_collected(i); !w) return w;
  }
  return {};
}

Status StreamWriter::write_collected(uint32_t slot) {
  Slot& s = slots_[slot];
  size_t first_record = s.at_collected.finish_record(s.collected.data(), s.collected.size());
  if (Status w = write_chunk(kChunkMagic, slot, s.collected.data(), s.collected.size(), first_record); !w) return w;
  s.collected.clear();
  return {};
}

Status StreamWriter::put_positions(const std::vector<SlotPosition>& positions) {
  if (positions.empty()) return {};
  size_t bytes = positions.size() * sizeof(SlotPosition);
  return write_chunk(kPositionsMagic, 0, reinterpret_cast<const uint8_t*>(positions.data()), bytes, bytes);
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
  return write_chunk(magic, slot, record, n, 0);
}

Status StreamWriter::write_chunk(uint32_t magic, uint32_t slot, const uint8_t* bytes, size_t size, size_t first_record) {
  out_.resize(sizeof(ChunkHeader));
  if (!encoder_.encode(bytes, size, first_record, out_)) return Error{"cannot compress"};
  uint32_t stored = static_cast<uint32_t>(out_.size() - sizeof(ChunkHeader));
  ChunkHeader header{magic, slot, static_cast<uint32_t>(size), stored, 0};
  header.hash = coded_chunk_hash(header, totals_.file_bytes, out_.data() + sizeof header, bytes);
  memcpy(out_.data(), &header, sizeof header);
  if (Status w = write_all(file_.get(), out_.data(), out_.size()); !w) {
    return Error{fmt::format("the trace cannot be written ({})", w.error().text)};
  }
  totals_.chunks++;
  totals_.raw_bytes += size;
  totals_.file_bytes += out_.size();
  return {};
}

}  // namespace ana
