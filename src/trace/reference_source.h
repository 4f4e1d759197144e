// What the two forms of files of references have in common for ReferenceReader.
#pragma once
#include "trace/references.h"

namespace ana {

class ReferenceReader::Source {
 public:
  virtual ~Source() = default;
  virtual uint32_t threads() const = 0;
  virtual Result<bool> next(ReferenceBlock& block) = 0;
  virtual uint64_t position() const = 0;
  virtual uint64_t file_bytes() const = 0;
};

// The file is open and `bytes` long; its first bytes have been looked at, by pread.
Result<std::unique_ptr<ReferenceReader::Source>> open_binary_references(UniqueFd file, std::string path, uint64_t bytes,
                                                                        bool details);
Result<std::unique_ptr<ReferenceReader::Source>> open_text_references(UniqueFd file, std::string path, uint64_t bytes,
                                                                      bool compressed);

}  // namespace ana
