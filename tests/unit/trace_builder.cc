#include "trace_builder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "trace/stream_writer.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

namespace {
void must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().text);
}
}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "anaphora-unit-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

void StreamEncoder::put(uint64_t value) {
  uint8_t buffer[kMaxVarint];
  bytes_.insert(bytes_.end(), buffer, buffer + put_varint(buffer, value));
}

void StreamEncoder::head(uint64_t count, RecordKind kind) {
  put((count - count_) << 2 | static_cast<uint32_t>(kind));
  count_ = count;
}

void StreamEncoder::edge(const Edge& e) {
  head(e.count, RecordKind::kEdge);
  auto& [count, edges] = sources_[e.source];
  put(zigzag(static_cast<int64_t>(e.site - site_)));
  put(e.source);
  put(zigzag(static_cast<int64_t>(e.source_count - count)));
  put(zigzag(static_cast<int64_t>(e.source_edges - edges)));
  site_ = e.site;
  count = e.source_count;
  edges = e.source_edges;
}

void StreamEncoder::value(uint64_t count, uint32_t op, int64_t result, const std::string& bytes) {
  head(count, RecordKind::kValue);
  put(op);
  put(zigzag(result));
  put(bytes.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void StreamEncoder::versions(uint64_t count, const std::string& bytes) {
  head(count, RecordKind::kVersions);
  put(bytes.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

Manifest sample_manifest() {
  Manifest m;
  m.tool_version = kToolVersion;
  m.command = {"./app", "--threads", "4"};
  m.cwd = "/home/odd\xff";
  m.program = {"/home/user/app", "gnu:0123", 4096};
  m.machine = {"Some CPU", {"avx", "sse2"}, "Linux 6.1", 8};
  m.started = "2026-01-02T03:04:05Z";
  return m;
}

void write_trace(const std::string& directory, const TraceContents& contents) {
  auto fd = create_trace_directory(directory);
  if (!fd) throw std::runtime_error(fd.error().text);
  auto writer = StreamWriter::create(fd->get());
  if (!writer) throw std::runtime_error(writer.error().text);
  Manifest manifest = sample_manifest();
  manifest.tuning.algorithm = contents.algorithm;
  manifest.forked = contents.forked;
  for (uint32_t i = 0; contents.forked && i < contents.forked->points.size(); i++)
    writer->begin_at(i, contents.forked->points[i].last_count);
  for (uint32_t i = 0; i < contents.streams.size(); i++) {
    must(writer->append(i, contents.streams[i].data(), contents.streams[i].size()));
  }
  must(writer->flush());
  must(writer->put_positions(contents.positions));
  if (contents.has_end) {
    manifest.state = TraceState::kComplete;
    manifest.end = ProgramEnd{};
    manifest.totals = writer->totals();
  }
  must(write_manifest(fd->get(), manifest));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& contents) {
  // A new file: some file systems flush one that is truncated and written again, which takes milliseconds.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(contents.data(), static_cast<long>(contents.size()));
}

}  // namespace ana
