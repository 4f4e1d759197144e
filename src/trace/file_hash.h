// The XXH64 of bytes that come piece by piece, as traces have it of files: 16 hexadecimal digits.
#pragma once
#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <string>

namespace ana {

class FileHash {
 public:
  FileHash() { XXH64_reset(state_.get(), 0); }
  void update(const void* bytes, size_t size) { XXH64_update(state_.get(), bytes, size); }
  std::string text() const { return fmt::format("{:016x}", XXH64_digest(state_.get())); }

 private:
  std::unique_ptr<XXH64_state_t, decltype(&XXH64_freeState)> state_{XXH64_createState(), XXH64_freeState};
};

}  // namespace ana
