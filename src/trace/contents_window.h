// How a rank that is replayed alone gets its contents: piece by piece, through memory that it shares with the tool
// (RankMore in rank_link.h). Used from one thread.
#pragma once
#include <stdint.h>

#include <optional>

#include "trace/contents_file.h"
#include "trace/rank_link.h"
#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

class ContentsWindow {
 public:
  static Result<ContentsWindow> create();
  ContentsWindow(ContentsWindow&& other) noexcept;
  ~ContentsWindow();

  int fd() const { return fd_.get(); }
  // What the pieces come from.
  void show(ContentsReader contents) { contents_.emplace(std::move(contents)); }
  RankPiece next(const RankMore& more);
  // All of them, as a file of its own: RankWindowHeader.
  Result<UniqueFd> whole();

 private:
  ContentsWindow(UniqueFd fd, uint8_t* base) : fd_(std::move(fd)), base_(base) {}

  UniqueFd fd_;
  uint8_t* base_;
  std::optional<ContentsReader> contents_;
};

}  // namespace ana
