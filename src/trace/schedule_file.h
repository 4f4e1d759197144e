// The memory that a schedule is written into: through a buffer, in order; room may be left out and filled later.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

class ScheduleFile {
 public:
  Status create() {
    fd_ = UniqueFd(::memfd_create("anaphora-schedule", MFD_CLOEXEC));
    if (!fd_.valid()) return system_error("cannot make memory for the schedule", errno);
    return {};
  }
  uint64_t size() const { return flushed_ + buffer_.size(); }
  Status append(const void* bytes, size_t size) {
    const uint8_t* at = static_cast<const uint8_t*>(bytes);
    buffer_.insert(buffer_.end(), at, at + size);
    return buffer_.size() >= kBufferBytes ? flush() : Status();
  }
  Status pad_to(uint64_t alignment) {
    buffer_.resize(buffer_.size() + (alignment - size() % alignment) % alignment);
    return {};
  }
  Status flush() {
    Status s = write_at(flushed_, buffer_.data(), buffer_.size());
    flushed_ += buffer_.size();
    buffer_.clear();
    return s;
  }
  Status write_at(uint64_t offset, const void* bytes, size_t size) {
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
      ssize_t n = ::pwrite(fd_.get(), at, size, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error("not enough memory for the schedule", errno);
      at += n;
      offset += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
    return {};
  }
  UniqueFd take() { return std::move(fd_); }

 private:
  static constexpr size_t kBufferBytes = 1 << 20;
  UniqueFd fd_;
  uint64_t flushed_ = 0;
  std::vector<uint8_t> buffer_;
};

}  // namespace ana
