#include "trace/printed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>

#include "trace/chunk_file.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

namespace {

// The relay shares the machine with the program: speed before size.
constexpr int kCompressionLevel = 1;

uint64_t end_hash(const PrintedEnd& end, uint64_t offset) { return XXH64(&end, offsetof(PrintedEnd, hash), offset); }

Error damaged(const std::string& how) { return Error{fmt::format("{}: {}", kPrintedName, how)}; }

Status append_to(UniqueFd& file, const std::vector<uint8_t>& bytes) {
  if (!file.valid()) file = UniqueFd(::memfd_create("anaphora-printed", MFD_CLOEXEC));
  if (!file.valid()) return system_error("cannot make a file in memory", errno);
  return write_all(file.get(), bytes.data(), bytes.size());
}

// Up to `limit`, where the end begins or the file ends.
Status read_chunks(const Mapping& file, uint64_t limit, Printed& to) {
  uint64_t offset = sizeof(FileHeader);
  while (offset < limit) {
    uint64_t at = offset;
    ChunkHeader header;
    auto raw = read_chunk(file.base(), limit, offset, header);
    bool known = raw.ok() && header.slot < kChannels;
    if (!known && !to.has_end) {
      to.lost_bytes = limit - at;
      return {};
    }
    if (!raw) return damaged(raw.error().text);
    if (!known) return damaged(fmt::format("there is no channel {}", header.slot));
    if (Status s = append_to(to.channel[header.slot], *raw); !s) return s;
    to.bytes[header.slot] += raw->size();
  }
  return {};
}

}  // namespace

Status PrintedWriter::create() {
  auto file = create_file(directory_, kPrintedName);
  if (!file) return file.error();
  file_ = std::move(*file);
  FileHeader header{kPrintedMagic, kTraceFormat, kPrintedVersion};
  offset_ = sizeof header;
  return write_all(file_.get(), &header, sizeof header);
}

Status PrintedWriter::append(uint32_t channel, const char* bytes, size_t size) {
  std::vector<uint8_t>& collected = collected_[channel];
  bytes_[channel] += size;
  while (size > 0) {
    size_t step = std::min(size, kMaxChunkBytes - collected.size());
    collected.insert(collected.end(), bytes, bytes + step);
    bytes += step;
    size -= step;
    if (collected.size() < kMaxChunkBytes) continue;
    if (Status s = write_collected(channel); !s) return s;
  }
  return {};
}

Status PrintedWriter::write_collected(uint32_t channel) {
  std::vector<uint8_t>& collected = collected_[channel];
  if (collected.empty()) return {};
  if (!file_.valid()) {
    if (Status s = create(); !s) return s;
  }
  Status s = put_chunk(file_.get(), offset_, channel, collected.data(), collected.size(), kCompressionLevel);
  collected.clear();
  return s;
}

Status PrintedWriter::flush() {
  for (uint32_t i = 0; i < kChannels; i++) {
    if (Status s = write_collected(i); !s) return s;
  }
  return {};
}

Status PrintedWriter::finish() {
  if (Status s = flush(); !s) return s;
  if (!file_.valid()) return {};
  PrintedEnd end{kPrintedEndMagic, {bytes_[0], bytes_[1]}, 0};
  end.hash = end_hash(end, offset_);
  return write_all(file_.get(), &end, sizeof end);
}

Result<Printed> read_printed(int directory) {
  Printed printed;
  if (::faccessat(directory, kPrintedName, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return printed;
  auto fd = open_file(directory, kPrintedName);
  if (!fd) return fd.error();
  struct stat info;
  if (::fstat(fd->get(), &info) != 0) return system_error("cannot stat the file", errno);
  auto size = static_cast<uint64_t>(info.st_size);
  Mapping file(fd->get(), size);
  if (size < sizeof(FileHeader)) {  // the relay was killed
    printed.has_end = false;
    printed.lost_bytes = size;
    return printed;
  }
  if (file.base() == nullptr) return damaged("it cannot be mapped");
  FileHeader header;
  memcpy(&header, file.base(), sizeof header);
  if (header.magic != kPrintedMagic) return damaged("it does not begin as it should");
  if (header.format != kTraceFormat || header.stream_version != kPrintedVersion)
    return damaged(fmt::format("it has version {}.{}; this anaphora reads {}.{}", header.format, header.stream_version,
                               kTraceFormat, kPrintedVersion));
  PrintedEnd end{};
  uint64_t limit = size;
  if (size >= sizeof header + sizeof end) memcpy(&end, file.base() + size - sizeof end, sizeof end);
  printed.has_end = end.magic == kPrintedEndMagic && end.hash == end_hash(end, size - sizeof end);
  if (printed.has_end) limit -= sizeof end;
  if (Status s = read_chunks(file, limit, printed); !s) return s.error();
  bool is_whole = memcmp(printed.bytes, end.bytes, sizeof end.bytes) == 0;
  if (printed.has_end && !is_whole) return damaged("something is missing");
  return printed;
}

}  // namespace ana
