#include "trace/contents_window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace ana {

Result<ContentsWindow> ContentsWindow::create() {
  UniqueFd fd(::memfd_create("anaphora-contents", MFD_CLOEXEC));
  if (!fd.valid() || ::ftruncate(fd.get(), kContentsWindowBytes) != 0)
    return system_error("cannot make shared memory", errno);
  void* base = ::mmap(nullptr, kContentsWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (base == MAP_FAILED) return system_error("cannot map shared memory", errno);
  return ContentsWindow(std::move(fd), static_cast<uint8_t*>(base));
}

ContentsWindow::ContentsWindow(ContentsWindow&& other) noexcept
    : fd_(std::move(other.fd_)), base_(std::exchange(other.base_, nullptr)), contents_(std::move(other.contents_)) {}

ContentsWindow::~ContentsWindow() {
  if (base_ != nullptr) ::munmap(base_, kContentsWindowBytes);
}

Result<UniqueFd> ContentsWindow::whole() {
  UniqueFd fd(::memfd_create("anaphora-contents", MFD_CLOEXEC));
  if (!fd.valid()) return system_error("cannot make shared memory", errno);
  RankWindowHeader header{};
  uint64_t offset = sizeof header;
  auto put = [&](const void* from, size_t bytes, uint64_t at) {
    return ::pwrite(fd.get(), from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  };
  for (uint32_t stream : contents_ ? contents_->streams() : std::vector<uint32_t>()) {
    if (stream >= kMaxStreams) continue;
    auto& row = header.stream[stream];
    row.offset = offset;
    for (;;) {
      auto piece = contents_->next(stream);
      if (!piece) return piece.error();
      if (piece->empty()) break;
      if (!put(piece->data(), piece->size(), offset))
        return system_error("there is no memory for the contents of messages", errno);
      offset += piece->size();
    }
    row.bytes = offset - row.offset;
  }
  if (!put(&header, sizeof header, 0)) return system_error("there is no memory for the contents of messages", errno);
  return fd;
}

RankPiece ContentsWindow::next(const RankMore& more) {
  RankPiece reply{};
  auto piece = contents_ && more.stream < kMaxStreams ? contents_->next(more.stream)
                                                      : Result<std::vector<uint8_t>>(Error{"there are no contents"});
  if (!piece) {
    snprintf(reply.text, sizeof reply.text, "%s", piece.error().text.c_str());
    return reply;
  }
  memcpy(base_ + more.stream * kContentsBlockBytes, piece->data(), piece->size());
  reply.ok = 1;
  reply.bytes = static_cast<uint32_t>(piece->size());
  return reply;
}

}  // namespace ana
