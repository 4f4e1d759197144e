// Files of references: every access to shared memory of an execution, in one total order. A reference is an event of
// its thread; its serial, which grows in the thread, is the thread's count in traces of recordings. Where serials are
// unknown (0), a reference is event n if it is the thread's n-th.
//
// Two forms, told apart by their first bytes and described in docs/format.md: a binary one, in compressed blocks that
// can each be decoded alone, and a text for traces from elsewhere, compressed with zstd or not. Both are read as a
// stream, block by block; nothing is kept. Every error names the place: byte of the file, or line of the text.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

enum class ReferenceKind : uint8_t { read, write, update };  // as algorithms::AccessKind

constexpr uint32_t kMaxReferenceThreads = 0x7fff;
constexpr uint32_t kMaxReferenceSize = 1 << 24;

struct Reference {
  uint64_t address;
  uint32_t size;
  ReferenceKind kind;
  uint64_t site = 0;    // 0: unknown
  uint64_t serial = 0;  // 0: unknown
};

// A reference of a block.
struct ReferenceRow {
  uint64_t address;
  uint32_t size;
  uint16_t thread;
  ReferenceKind kind;
  uint8_t reserved;
};
static_assert(sizeof(ReferenceRow) == 16);

struct ReferenceBlock {
  uint64_t first = 0;  // number of the first row in the file, from 0
  std::vector<ReferenceRow> rows;
  std::vector<uint64_t> sites;    // of the rows; empty if all are unknown
  std::vector<uint64_t> serials;  // the same
};

// Writes the binary form. Used by one thread. An error is kept until finish(), which must be called; nothing is written
// after it.
class ReferenceWriter {
 public:
  static Result<ReferenceWriter> create(const std::string& path);
  ReferenceWriter(ReferenceWriter&&) noexcept;
  ~ReferenceWriter();

  // In the order in which the references happened.
  void add(uint32_t thread, const Reference& reference);
  uint64_t references() const;
  const Status& status() const;
  // Writes the trailer. Without it the file is taken for cut off.
  Status finish();

 private:
  struct State;
  explicit ReferenceWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ReferenceReader {
 public:
  // `details`: sites and serials too, which take time to decode.
  static Result<ReferenceReader> open(const std::string& path, bool details = true);
  ReferenceReader(ReferenceReader&&) noexcept;
  ~ReferenceReader();

  uint32_t threads() const;
  // Fills the block with the next rows. False at the end, after everything has been found to be as declared.
  Result<bool> next(ReferenceBlock& block);
  // Bytes of the file read so far, and all.
  uint64_t position() const;
  uint64_t file_bytes() const;

  // One of the two forms.
  class Source;

 private:
  explicit ReferenceReader(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace ana
