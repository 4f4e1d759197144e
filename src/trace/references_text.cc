#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <zstd.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "trace/reference_format.h"
#include "trace/reference_source.h"

namespace ana {

namespace {

constexpr size_t kLongestLine = 4096;

// The next word of a line; "" at the end.
std::string_view next_word(std::string_view& line) {
  size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return line = {};
  size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool parse_number(std::string_view word, uint64_t& value) {
  int base = 10;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    word.remove_prefix(2);
    base = 16;
  }
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return error == std::errc{} && end == word.data() + word.size() && !word.empty();
}

class TextSource final : public ReferenceReader::Source {
 public:
  TextSource(UniqueFd file, std::string path, uint64_t bytes, bool compressed)
      : file_(std::move(file)), path_(std::move(path)), bytes_(bytes) {
    if (compressed) context_.emplace(ZSTD_createDCtx(), ZSTD_freeDCtx);
    in_.resize(1 << 16);
    text_.reserve(1 << 18);
  }

  // Up to the line "threads N".
  Status start() {
    for (;;) {
      auto line = next_line();
      if (!line) return line.error();
      if (!*line) return wrong("there is no line `threads N`, so this is no text of references");
      std::string_view rest = **line, word = next_word(rest);
      if (word.empty()) continue;
      if (word != "threads")
        return wrong("a file of references begins with a line `threads N`; this is something else");
      uint64_t count;
      if (!parse_number(next_word(rest), count) || count == 0 || count > kMaxReferenceThreads ||
          !next_word(rest).empty())
        return wrong(fmt::format("`threads` wants a number from 1 to {}", kMaxReferenceThreads));
      threads_ = static_cast<uint32_t>(count);
      return {};
    }
  }

  uint32_t threads() const override { return threads_; }
  uint64_t position() const override { return read_; }
  uint64_t file_bytes() const override { return bytes_; }

  Result<bool> next(ReferenceBlock& block) override {
    block.first = references_;
    block.rows.clear();
    block.sites.clear();
    block.serials.clear();
    while (block.rows.size() < kMaxBlockReferences) {
      auto line = next_line();
      if (!line) return line.error();
      if (!*line) break;
      if (Status s = parse(**line, block); !s) return s.error();
    }
    references_ += block.rows.size();
    return !block.rows.empty();
  }

 private:
  Error wrong(const std::string& what) const { return {fmt::format("{}, line {}: {}", path_, line_, what)}; }

  Status parse(std::string_view line, ReferenceBlock& block) {
    std::string_view rest = line, word = next_word(rest);
    if (word.empty()) return {};
    uint64_t thread, address, size = 1, site = 0;
    if (!parse_number(word, thread)) return wrong(fmt::format("`{}` is no number of a thread", word));
    if (thread >= threads_)
      return wrong(fmt::format("thread {}, but {} threads are declared (0 to {})", thread, threads_, threads_ - 1));
    word = next_word(rest);
    constexpr std::string_view kKinds = "rwu";
    size_t kind = word.size() == 1 ? kKinds.find(static_cast<char>(word[0] | 0x20)) : std::string_view::npos;
    if (kind == std::string_view::npos) return wrong(fmt::format("`{}` is not r, w or u", word));
    word = next_word(rest);
    if (!parse_number(word, address)) return wrong(fmt::format("`{}` is no address", word));
    word = next_word(rest);
    if (!word.empty() && (!parse_number(word, size) || size == 0 || size > kMaxReferenceSize))
      return wrong(fmt::format("`{}` is no size from 1 to {}", word, kMaxReferenceSize));
    if (address > ~uint64_t{0} - size)
      return wrong(fmt::format("{} bytes at {:#x} are beyond all memory", size, address));
    word = next_word(rest);
    if (!word.empty() && !parse_number(word, site)) return wrong(fmt::format("`{}` is no site", word));
    word = next_word(rest);
    if (!word.empty()) return wrong(fmt::format("`{}` is too much", word));
    block.rows.push_back(
        {address, static_cast<uint32_t>(size), static_cast<uint16_t>(thread), static_cast<ReferenceKind>(kind), 0});
    if (site != 0 || !block.sites.empty()) {
      block.sites.resize(block.rows.size(), 0);
      block.sites.back() = site;
    }
    return {};
  }

  // Without its comment. The view is good until the next call.
  Result<std::optional<std::string_view>> next_line() {
    for (;;) {
      size_t end = text_.find('\n', at_);
      if (end == std::string::npos && !ended_) {
        if (text_.size() - at_ > kLongestLine) {
          line_++;
          return wrong("the line is too long");
        }
        text_.erase(0, at_);
        at_ = 0;
        if (Status s = fill(); !s) return s.error();
        continue;
      }
      if (at_ == text_.size()) return std::optional<std::string_view>();
      if (end == std::string::npos) end = text_.size();
      std::string_view line(text_.data() + at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      line_++;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      return std::optional(line.substr(0, line.find('#')));
    }
  }

  Status fill() {
    ssize_t n = ::read(file_.get(), in_.data(), in_.size());
    if (n < 0 && errno == EINTR) return {};
    if (n < 0) return system_error(fmt::format("cannot read {} at byte {}", path_, read_), errno);
    uint64_t before = read_;
    read_ += static_cast<uint64_t>(n);
    ended_ = n == 0;
    if (!context_) {
      text_.append(in_.data(), static_cast<size_t>(n));
      return {};
    }
    if (ended_ && in_frame_)
      return Error{fmt::format("{} is cut off at byte {}, in the middle of its compressed text", path_, read_)};
    ZSTD_inBuffer in{in_.data(), static_cast<size_t>(n), 0};
    char piece[1 << 14];
    while (in.pos < in.size) {
      ZSTD_outBuffer out{piece, sizeof piece, 0};
      size_t left = ZSTD_decompressStream(context_->get(), &out, &in);
      if (ZSTD_isError(left))
        return Error{fmt::format("{} is damaged at byte {}: {}", path_, before + in.pos, ZSTD_getErrorName(left))};
      in_frame_ = left != 0;
      text_.append(piece, out.pos);
      // What is left in the decompressor's buffers comes out before new input goes in.
      while (in_frame_ && out.pos == out.size) {
        out.pos = 0;
        left = ZSTD_decompressStream(context_->get(), &out, &in);
        if (ZSTD_isError(left))
          return Error{fmt::format("{} is damaged at byte {}: {}", path_, before + in.pos, ZSTD_getErrorName(left))};
        in_frame_ = left != 0;
        text_.append(piece, out.pos);
      }
    }
    return {};
  }

  UniqueFd file_;
  std::string path_;
  uint64_t bytes_, read_ = 0, line_ = 0, references_ = 0;
  uint32_t threads_ = 0;
  std::optional<std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>> context_;
  bool ended_ = false, in_frame_ = false;
  std::vector<char> in_;
  std::string text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ReferenceReader::Source>> open_text_references(UniqueFd file, std::string path, uint64_t bytes,
                                                                      bool compressed) {
  auto source = std::make_unique<TextSource>(std::move(file), std::move(path), bytes, compressed);
  if (Status s = source->start(); !s) return s.error();
  return std::unique_ptr<ReferenceReader::Source>(std::move(source));
}

}  // namespace ana
