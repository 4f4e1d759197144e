#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>

#include "trace/reference_format.h"
#include "trace/reference_source.h"
#include "trace/stream_format.h"

namespace ana {

namespace {

constexpr uint32_t kZstdMagic = 0xfd2fb528u;

// A column of varints.
class Varints {
 public:
  Varints(const uint8_t* at, size_t size) : at_(at), end_(at + size) {}

  // False if the column ends before, or the number is too long.
  bool get(uint64_t& value) {
    if (at_ == end_) return false;
    value = *at_++;
    if (value < 0x80) return true;
    value &= 0x7f;
    for (uint32_t shift = 7; shift < 64 && at_ != end_; shift += 7) {
      uint64_t byte = *at_++;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool at_end() const { return at_ == end_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

class BinarySource final : public ReferenceReader::Source {
 public:
  BinarySource(UniqueFd file, std::string path, uint64_t bytes, bool details)
      : file_(std::move(file)), path_(std::move(path)), bytes_(bytes), details_(details) {}

  Status start() {
    ReferenceFileHeader header;
    ReferenceFileTail tail;
    if (bytes_ < sizeof header + sizeof tail) return cut_off();
    if (Status s = read(0, &header, sizeof header); !s) return s;
    if (header.version != kReferencesVersion)
      return Error{fmt::format("{} is a file of references of version {}; this tool reads version {}", path_,
                               header.version, kReferencesVersion)};
    if (Status s = read(bytes_ - sizeof tail, &tail, sizeof tail); !s) return s;
    if (tail.magic != kReferencesEndMagic || tail.trailer > bytes_ - sizeof tail) return cut_off();
    trailer_ = tail.trailer;
    ReferenceBlockHeader block;
    if (Status s = read_block(trailer_, kReferenceTrailerMagic, block); !s) return s;
    if (block.references > kMaxReferenceThreads || raw_.size() != 8 * (uint64_t{block.references} + 1))
      return wrong(trailer_, fmt::format("a trailer for {} threads of {} bytes", block.references, raw_.size()));
    memcpy(&references_, raw_.data(), 8);
    declared_.resize(block.references);
    if (block.references) memcpy(declared_.data(), raw_.data() + 8, 8 * declared_.size());
    counted_.resize(declared_.size());
    last_.resize(declared_.size());
    serials_.resize(declared_.size());
    at_ = sizeof header;
    return {};
  }

  uint32_t threads() const override { return static_cast<uint32_t>(declared_.size()); }
  uint64_t position() const override { return at_; }
  uint64_t file_bytes() const override { return bytes_; }

  Result<bool> next(ReferenceBlock& block) override {
    if (at_ >= trailer_) return finish();
    ReferenceBlockHeader header;
    if (Status s = read_block(at_, kReferenceBlockMagic, header); !s) return s.error();
    if (Status s = decode(header.references, block); !s) return s.error();
    block.first = read_;
    read_ += header.references;
    at_ += sizeof header + header.stored_bytes;
    return true;
  }

 private:
  struct Last {
    uint64_t address, site, serial;
  };

  Error cut_off() const {
    return {fmt::format("{} is cut off: it does not end with a trailer at byte {}; was its writer stopped?", path_,
                        bytes_ < sizeof(ReferenceFileTail) ? 0 : bytes_ - sizeof(ReferenceFileTail))};
  }
  Error wrong(uint64_t at, const std::string& what) const {
    return {fmt::format("{} is damaged at byte {}: {}", path_, at, what)};
  }

  Status read(uint64_t at, void* to, size_t size) {
    for (auto* out = static_cast<uint8_t*>(to); size > 0;) {
      ssize_t n = ::pread(file_.get(), out, size, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error(fmt::format("cannot read {} at byte {}", path_, at), errno);
      if (n == 0) return cut_off();
      out += n;
      at += static_cast<uint64_t>(n);
      size -= static_cast<size_t>(n);
    }
    return {};
  }

  // Into raw_.
  Status read_block(uint64_t at, uint32_t magic, ReferenceBlockHeader& header) {
    if (bytes_ - at < sizeof header) return cut_off();
    if (Status s = read(at, &header, sizeof header); !s) return s;
    bool trailer = magic == kReferenceTrailerMagic;
    uint64_t limit = trailer ? 8 * (uint64_t{kMaxReferenceThreads} + 1) : kMaxReferenceBlockBytes;
    uint64_t end = trailer ? bytes_ - sizeof(ReferenceFileTail) : trailer_;
    bool possible = header.magic == magic && header.raw_bytes <= limit &&
                    header.stored_bytes <= ZSTD_compressBound(limit) && end - at - sizeof header >= header.stored_bytes;
    if (!trailer) possible &= header.references > 0 && header.references <= kMaxBlockReferences;
    if (!possible) return wrong(at, "no block begins there");
    stored_.resize(header.stored_bytes);
    raw_.resize(header.raw_bytes);
    if (Status s = read(at + sizeof header, stored_.data(), stored_.size()); !s) return s;
    size_t n = ZSTD_decompressDCtx(context_.get(), raw_.data(), raw_.size(), stored_.data(), stored_.size());
    if (ZSTD_isError(n) || n != raw_.size()) return wrong(at, "the block cannot be decompressed");
    if (reference_block_hash(header, at, raw_.data()) != header.hash) return wrong(at, "the block's checksum is wrong");
    return {};
  }

  Status decode(uint32_t count, ReferenceBlock& block) {
    if (raw_.size() < kReferenceBlockHead) return wrong(at_, "the block has no head");
    uint32_t lengths[3];
    memcpy(lengths, raw_.data() + 4, sizeof lengths);
    uint32_t thread_bytes = raw_[0];
    uint64_t before_serials =
        kReferenceBlockHead + uint64_t{count} * (thread_bytes + 1) + lengths[0] + lengths[1] + lengths[2];
    bool fits = raw_[1] & kHasSerials ? before_serials < raw_.size() : before_serials == raw_.size();
    if ((thread_bytes != 1 && thread_bytes != 2) || raw_[1] > (kHasSites | kHasSerials) || !fits)
      return wrong(at_, "the block's columns do not add up");
    const uint8_t* threads = raw_.data() + kReferenceBlockHead;
    const uint8_t* kinds = threads + uint64_t{count} * thread_bytes;
    const uint8_t* column = kinds + count;
    Varints sizes(column, lengths[0]), addresses(column + lengths[0], lengths[1]),
        sites(column + lengths[0] + lengths[1], lengths[2]),
        serials(raw_.data() + before_serials, raw_.size() - before_serials);
    block.rows.resize(count);
    std::fill(last_.begin(), last_.end(), Last{});
    uint64_t known = declared_.size();
    for (uint32_t i = 0; i < count; i++) {
      uint32_t thread = thread_bytes == 1 ? threads[i] : threads[2 * i] | threads[2 * i + 1] << 8;
      if (thread >= known) return too_many(thread, i);
      uint64_t delta, size = kinds[i] & 0x3f;
      if (!addresses.get(delta)) return wrong(at_, "the column of addresses ends too early");
      if (size == kSizeElsewhere) {
        if (!sizes.get(size)) return wrong(at_, "the column of sizes ends too early");
      } else {
        size = size == kSize64 ? 64 : size + 1;
      }
      uint64_t address = last_[thread].address += static_cast<uint64_t>(unzigzag(delta));
      if (kinds[i] >> 6 > 2 || size == 0 || size > kMaxReferenceSize || address > ~uint64_t{0} - size)
        return wrong(at_, fmt::format("reference {} is impossible", read_ + i + 1));
      counted_[thread]++;
      block.rows[i] = {address, static_cast<uint32_t>(size), static_cast<uint16_t>(thread),
                       static_cast<ReferenceKind>(kinds[i] >> 6), 0};
    }
    block.sites.clear();
    block.serials.clear();
    if (raw_[1] & kHasSerials) {
      if (Status s = decode_serials(serials, block); !s) return s;
    }
    if (!details_) return sizes.at_end() && addresses.at_end() ? Status() : wrong(at_, "a column is too long");
    if (raw_[1] & kHasSites) {
      if (Status s = decode_sites(sites, block); !s) return s;
    }
    if (!sizes.at_end() || !addresses.at_end() || !sites.at_end() || !serials.at_end())
      return wrong(at_, "a column is too long");
    return {};
  }

  Status decode_sites(Varints& sites, ReferenceBlock& block) {
    block.sites.resize(block.rows.size());
    for (size_t i = 0; i < block.rows.size(); i++) {
      uint64_t delta;
      if (!sites.get(delta)) return wrong(at_, "the column of sites ends too early");
      block.sites[i] = last_[block.rows[i].thread].site += static_cast<uint64_t>(unzigzag(delta));
    }
    return {};
  }

  // Looked at in any case: in a thread they cannot go backwards.
  Status decode_serials(Varints& serials, ReferenceBlock& block) {
    block.serials.resize(details_ ? block.rows.size() : 0);
    for (size_t i = 0; i < block.rows.size(); i++) {
      uint64_t delta, thread = block.rows[i].thread;
      if (!serials.get(delta)) return wrong(at_, "the column of serials ends too early");
      uint64_t serial = last_[thread].serial += static_cast<uint64_t>(unzigzag(delta));
      if (serial < serials_[thread])
        return wrong(at_, fmt::format("reference {} has serial {}, but thread {} has come to {} before", read_ + i + 1,
                                      serial, thread, serials_[thread]));
      serials_[thread] = serial;
      if (details_) block.serials[i] = serial;
    }
    return {};
  }

  Error too_many(uint32_t thread, uint32_t row) const {
    return wrong(at_, fmt::format("reference {} is of thread {}, but the trailer declares {} threads", read_ + row + 1,
                                  thread, declared_.size()));
  }

  Result<bool> finish() {
    if (at_ > trailer_) return wrong(trailer_, "the last block reaches into the trailer");
    if (read_ != references_)
      return wrong(trailer_, fmt::format("the trailer declares {} references, there are {}", references_, read_));
    for (size_t i = 0; i < declared_.size(); i++) {
      if (declared_[i] != counted_[i])
        return wrong(trailer_, fmt::format("the trailer declares {} references of thread {}, there are {}",
                                           declared_[i], i, counted_[i]));
    }
    return false;
  }

  UniqueFd file_;
  std::string path_;
  uint64_t bytes_;
  bool details_;
  uint64_t at_ = 0, trailer_ = 0, references_ = 0, read_ = 0;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
  std::vector<uint8_t> stored_, raw_;
  std::vector<uint64_t> declared_, counted_, serials_;  // by thread; the last serials
  std::vector<Last> last_;
};

}  // namespace

Result<std::unique_ptr<ReferenceReader::Source>> open_binary_references(UniqueFd file, std::string path, uint64_t bytes,
                                                                        bool details) {
  auto source = std::make_unique<BinarySource>(std::move(file), std::move(path), bytes, details);
  if (Status s = source->start(); !s) return s.error();
  return std::unique_ptr<ReferenceReader::Source>(std::move(source));
}

ReferenceReader::ReferenceReader(std::unique_ptr<Source> source) : source_(std::move(source)) {}
ReferenceReader::ReferenceReader(ReferenceReader&&) noexcept = default;
ReferenceReader::~ReferenceReader() = default;

Result<ReferenceReader> ReferenceReader::open(const std::string& path, bool details) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return system_error("cannot open " + path, errno);
  struct stat info;
  if (::fstat(file.get(), &info) != 0) return system_error("cannot look at " + path, errno);
  if (S_ISDIR(info.st_mode))
    return Error{path +
                 " is a directory; a file of references is wanted, as `anaphora replay -a --trace-all=FILE` "
                 "writes it"};
  if (!S_ISREG(info.st_mode)) return Error{path + " is not a regular file; save the references to one first"};
  uint64_t bytes = static_cast<uint64_t>(info.st_size), magic = 0;
  ssize_t n = ::pread(file.get(), &magic, sizeof magic, 0);
  if (n < 0) return system_error("cannot read " + path, errno);
  if (n == 0) return Error{path + " is empty"};
  auto source = magic == kReferencesMagic
                    ? open_binary_references(std::move(file), path, bytes, details)
                    : open_text_references(std::move(file), path, bytes, static_cast<uint32_t>(magic) == kZstdMagic);
  if (!source) return source.error();
  return ReferenceReader(std::move(*source));
}

uint32_t ReferenceReader::threads() const { return source_->threads(); }
Result<bool> ReferenceReader::next(ReferenceBlock& block) { return source_->next(block); }
uint64_t ReferenceReader::position() const { return source_->position(); }
uint64_t ReferenceReader::file_bytes() const { return source_->file_bytes(); }

}  // namespace ana
