#include "trace/contents_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

using nlohmann::json;

namespace {

constexpr uint32_t kDescriptionSlot = 0xffffffffu;  // of the first chunk and the last
constexpr int kFastLevel = 1;  // the recorder shares its cores with the ranks

Status put_text(int fd, uint64_t& offset, const json& out) {
  std::string text = out.dump();
  return put_chunk(fd, offset, kDescriptionSlot, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

Result<Mapping> map_file(int directory, const std::string& name) {
  auto fd = open_file(directory, name.c_str());
  if (!fd) return fd.error();
  struct stat info;
  if (::fstat(fd->get(), &info) != 0) return system_error("cannot stat " + name, errno);
  Mapping file(fd->get(), static_cast<uint64_t>(info.st_size));
  if (file.base() == nullptr) return Error{name + " is empty, or cannot be mapped"};
  return file;
}

}  // namespace

std::string contents_file_name(uint32_t rank) { return fmt::format("contents-{}", rank); }
std::string live_contents_file_name(uint32_t rank) { return contents_file_name(rank) + ".live"; }

Result<ContentsWriter> ContentsWriter::create(int directory, uint32_t rank, uint64_t id) {
  auto made = create_file(directory, live_contents_file_name(rank).c_str());
  if (!made) return made.error();
  auto packed = create_file(directory, contents_file_name(rank).c_str());
  if (!packed) return packed.error();
  LiveContentsHeader header{kLiveContentsMagic, kContentsVersion, rank, id, 1, 0};
  if (Status s = write_all(made->get(), &header, sizeof header); !s) return s.error();
  if (::ftruncate(made->get(), kContentsBlockBytes) != 0) return system_error("cannot make room for contents", errno);
  UniqueFd live(::openat(directory, live_contents_file_name(rank).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!live.valid()) return system_error("cannot open " + live_contents_file_name(rank), errno);
  FileHeader file{kPackedContentsMagic, kTraceFormat, kContentsVersion};
  if (Status s = write_all(packed->get(), &file, sizeof file); !s) return s.error();
  ContentsWriter writer(rank, std::move(live), std::move(*packed));
  writer.offset_ = sizeof file;
  if (Status s = put_text(writer.packed_.get(), writer.offset_, {{"rank", rank}, {"id", id}}); !s) return s.error();
  return writer;
}

Result<std::optional<std::vector<uint8_t>>> ContentsWriter::read_block(uint64_t index, bool all, uint32_t& stream) {
  uint64_t at = index * kContentsBlockBytes;
  LiveContentsBlock block{};
  ssize_t n = ::pread(live_.get(), &block, sizeof block, static_cast<off_t>(at));
  // A block that there was no room for on the disk is the last one.
  if (n != sizeof block || (block.full == 0 && !all)) return std::optional<std::vector<uint8_t>>{};
  if (block.used > kContentsCapacity) return Error{fmt::format("block {} claims more than it can hold", index)};
  std::vector<uint8_t> bytes(block.used);
  if (::pread(live_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at + sizeof block)) != ssize_t{block.used})
    return system_error("cannot read what the rank has saved", errno);
  stream = block.stream;
  return std::optional(std::move(bytes));
}

Status ContentsWriter::drain(bool all) {
  LiveContentsHeader header;
  if (::pread(live_.get(), &header, sizeof header, 0) != sizeof header)
    return system_error("cannot read what the rank has saved", errno);
  for (; next_ < header.blocks; next_++) {
    uint32_t stream = 0;
    auto bytes = read_block(next_, all, stream);
    if (!bytes) return bytes.error();
    if (!*bytes) break;
    if (Status s = put_chunk(packed_.get(), offset_, stream, (*bytes)->data(), (*bytes)->size(), kFastLevel); !s)
      return s;
    // Not every file system can; then the file stays as large as it is, until the end.
    (void)::fallocate(live_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(next_ * kContentsBlockBytes), kContentsBlockBytes);
  }
  if (!all) return {};
  return put_text(packed_.get(), offset_, {{"chunks", next_ - 1}, {"finalized", header.finalized != 0}});
}

Status ContentsWriter::finish(int directory) {
  if (Status s = drain(true); !s) return s;
  if (::unlinkat(directory, live_contents_file_name(rank_).c_str(), 0) != 0)
    return system_error("cannot remove " + live_contents_file_name(rank_), errno);
  return {};
}

Result<ContentsReader> ContentsReader::open(int directory, uint32_t rank) {
  ContentsReader reader(rank);
  auto packed = map_file(directory, reader.name_);
  if (!packed) return packed.error();
  reader.packed_ = std::move(*packed);
  // Left behind if the recorder was killed.
  auto live = map_file(directory, live_contents_file_name(rank));
  if (live) reader.live_ = std::move(*live);
  uint64_t chunks = 0;
  if (Status s = reader.scan_packed(live.ok(), chunks); !s) return Error{reader.name_ + ": " + s.error().text};
  if (!live || reader.complete_) return reader;
  if (Status s = reader.scan_live(chunks + 1); !s)
    return Error{live_contents_file_name(rank) + ": " + s.error().text};
  return reader;
}

Status ContentsReader::describe(const std::vector<uint8_t>& text, bool end, uint64_t chunks) try {
  json in = json::parse(text.begin(), text.end());
  if (!end) {
    id_ = in.at("id").get<uint64_t>();
    if (in.at("rank").get<uint32_t>() != rank_) return Error{"it is that of another rank"};
    return {};
  }
  finalized_ = in.at("finalized").get<bool>();
  complete_ = true;
  if (in.at("chunks").get<uint64_t>() != chunks) return Error{"chunks are missing"};
  return {};
} catch (const json::exception& e) {
  return Error{fmt::format("its description is damaged: {}", e.what())};
}

Status ContentsReader::scan_packed(bool has_live, uint64_t& chunks) {
  const uint8_t* base = packed_.base();
  uint64_t size = packed_.size(), offset = sizeof(FileHeader);
  FileHeader file;
  if (size < sizeof file) return Error{"it is shorter than its header"};
  memcpy(&file, base, sizeof file);
  if (file.magic != kPackedContentsMagic) return Error{"it does not begin like the contents of a rank"};
  if (file.format != kTraceFormat || file.stream_version != kContentsVersion) {
    return Error{fmt::format("it has format {}.{}, this tool reads {}.{}: use the version that recorded it", file.format,
                             file.stream_version, kTraceFormat, kContentsVersion)};
  }
  stored_bytes_ = size;
  for (bool first = true; offset < size && !complete_; first = false) {
    uint64_t at = offset;
    ChunkHeader h;
    if (Status s = skip_chunk(base, size, offset, h); !s) {
      if (has_live) return {};  // torn when the recorder was killed: its bytes are still in the live file
      return s;
    }
    if (first && h.slot != kDescriptionSlot) return Error{"it has no description"};
    if (h.slot == kDescriptionSlot) {
      auto text = read_chunk(base, size, at, h);
      if (!text) return text.error();
      if (Status s = describe(*text, !first, chunks); !s) return s;
      continue;
    }
    streams_[h.slot].pieces.push_back({false, at});
    raw_bytes_ += h.raw_bytes;
    chunks++;
  }
  if (!complete_ && !has_live) return Error{"its end is missing"};
  return {};
}

Status ContentsReader::scan_live(uint64_t first) {
  LiveContentsHeader header;
  if (live_.size() < kContentsBlockBytes) return Error{"it is shorter than its first block"};
  memcpy(&header, live_.base(), sizeof header);
  if (header.magic != kLiveContentsMagic || header.version != kContentsVersion || header.rank != rank_)
    return Error{"it does not begin like the contents of this rank"};
  id_ = header.id;
  finalized_ = header.finalized != 0;
  for (uint64_t i = first; i < header.blocks && (i + 1) * kContentsBlockBytes <= live_.size(); i++) {
    LiveContentsBlock block;
    memcpy(&block, live_.base() + i * kContentsBlockBytes, sizeof block);
    if (block.used > kContentsCapacity) return Error{fmt::format("block {} claims more than it can hold", i)};
    if (block.used == 0) continue;
    streams_[block.stream].pieces.push_back({true, i * kContentsBlockBytes});
    raw_bytes_ += block.used;
    stored_bytes_ += block.used;
  }
  return {};
}

std::vector<uint32_t> ContentsReader::streams() const {
  std::vector<uint32_t> out;
  for (const auto& [stream, pieces] : streams_) out.push_back(stream);
  return out;
}

Result<std::vector<uint8_t>> ContentsReader::next(uint32_t stream) {
  auto found = streams_.find(stream);
  while (found != streams_.end() && found->second.next < found->second.pieces.size()) {
    Piece piece = found->second.pieces[found->second.next++];
    if (piece.live) {
      LiveContentsBlock block;
      memcpy(&block, live_.base() + piece.offset, sizeof block);
      const uint8_t* bytes = live_.base() + piece.offset + sizeof block;
      return std::vector<uint8_t>(bytes, bytes + block.used);
    }
    ChunkHeader h;
    auto raw = read_chunk(packed_.base(), packed_.size(), piece.offset, h);
    if (!raw) return Error{name_ + ": " + raw.error().text};
    if (!raw->empty()) return raw;
  }
  return std::vector<uint8_t>{};
}

}  // namespace ana
