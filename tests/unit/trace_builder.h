// Helps tests to make streams and traces: an encoder as the runtime has one, and a trace directory that goes away.
#pragma once
#include <stdint.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/actions.h"
#include "trace/manifest.h"
#include "trace/stream_format.h"

namespace ana {

// A directory under TMPDIR, removed with everything in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class StreamEncoder {
 public:
  void edge(const Edge& edge);
  void value(uint64_t count, uint32_t op, int64_t result = 0, const std::string& bytes = "");
  void versions(uint64_t count, const std::string& bytes);
  std::vector<uint8_t> take() { return std::move(bytes_); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  void put(uint64_t value);
  void head(uint64_t count, RecordKind kind);

  std::vector<uint8_t> bytes_;
  uint64_t count_ = 0, site_ = 0;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> sources_;
};

// Streams by slot. `has_end`: as a recorder leaves it that was not killed.
struct TraceContents {
  std::vector<std::vector<uint8_t>> streams;
  bool has_end = true;
  std::string algorithm = "ownership";
  std::vector<SlotPosition> positions = {};  // of the slots, behind their streams
  std::optional<ForkOrigin> forked = {};     // whose streams these continue
};

Manifest sample_manifest();
void write_trace(const std::string& directory, const TraceContents& contents);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& contents);

}  // namespace ana
