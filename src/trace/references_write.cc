#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "trace/reference_format.h"
#include "trace/references.h"
#include "trace/stream_format.h"
#include "trace/trace_directory.h"

namespace ana {

namespace {
constexpr int kCompressionLevel = 1;
}

uint64_t reference_block_hash(const ReferenceBlockHeader& header, uint64_t file_offset, const uint8_t* raw) {
  uint64_t seed = XXH64(&header, offsetof(ReferenceBlockHeader, hash), file_offset);
  return XXH64(raw, header.raw_bytes, seed);
}

// The columns of the block that is being filled. Raw bytes: u8 bytes per thread number (1 or 2), u8 whether there are
// sites (1) and serials (2), u16 0, u32 bytes of the column of sizes, u32 of addresses, u32 of sites; then the columns:
// threads, kinds (kind << 6 | size code), sizes, addresses, sites, serials.
struct ReferenceWriter::State {
  struct Last {
    uint64_t block = 0, address = 0, site = 0, serial = 0;
  };

  UniqueFd file;
  std::string path;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  Status status;
  uint64_t offset = 0, references = 0, blocks = 1;
  std::vector<Last> last;
  std::vector<uint64_t> counts;
  std::vector<uint16_t> threads;
  std::vector<uint8_t> kinds, sizes, addresses, sites, serials;
  bool has_sites = false, has_serials = false, wide = false;
  std::vector<uint8_t> raw, out;

  static void append(std::vector<uint8_t>& column, uint64_t value) {
    uint8_t bytes[kMaxVarint];
    column.insert(column.end(), bytes, bytes + put_varint(bytes, value));
  }

  void write(const void* bytes, size_t size) {
    if (Status s = write_all(file.get(), bytes, size); !s) {
      status = Error{fmt::format("{} cannot be written ({})", path, s.error().text)};
    }
    offset += size;
  }

  void write_block(uint32_t magic, uint32_t number) {
    out.resize(sizeof(ReferenceBlockHeader) + ZSTD_compressBound(raw.size()));
    size_t stored =
        ZSTD_compressCCtx(context.get(), out.data() + sizeof(ReferenceBlockHeader),
                          out.size() - sizeof(ReferenceBlockHeader), raw.data(), raw.size(), kCompressionLevel);
    if (ZSTD_isError(stored)) {
      status = Error{fmt::format("cannot compress: {}", ZSTD_getErrorName(stored))};
      return;
    }
    ReferenceBlockHeader header{magic, number, static_cast<uint32_t>(raw.size()), static_cast<uint32_t>(stored), 0};
    header.hash = reference_block_hash(header, offset, raw.data());
    memcpy(out.data(), &header, sizeof header);
    write(out.data(), sizeof header + stored);
  }

  void flush() {
    if (threads.empty()) return;
    raw.clear();
    auto number = [&](uint64_t value, int bytes) {
      for (int i = 0; i < bytes; i++) raw.push_back(static_cast<uint8_t>(value >> 8 * i));
    };
    number(wide ? 2 : 1, 1);
    number((has_sites ? kHasSites : 0) | (has_serials ? kHasSerials : 0), 1);
    number(0, 2);
    number(sizes.size(), 4);
    number(addresses.size(), 4);
    number(has_sites ? sites.size() : 0, 4);
    for (uint16_t thread : threads) number(thread, wide ? 2 : 1);
    raw.insert(raw.end(), kinds.begin(), kinds.end());
    raw.insert(raw.end(), sizes.begin(), sizes.end());
    raw.insert(raw.end(), addresses.begin(), addresses.end());
    if (has_sites) raw.insert(raw.end(), sites.begin(), sites.end());
    if (has_serials) raw.insert(raw.end(), serials.begin(), serials.end());
    if (status.ok()) write_block(kReferenceBlockMagic, static_cast<uint32_t>(threads.size()));
    threads.clear();
    kinds.clear();
    sizes.clear();
    addresses.clear();
    sites.clear();
    serials.clear();
    has_sites = has_serials = wide = false;
    blocks++;
  }
};

ReferenceWriter::ReferenceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceWriter::ReferenceWriter(ReferenceWriter&&) noexcept = default;
ReferenceWriter::~ReferenceWriter() = default;

Result<ReferenceWriter> ReferenceWriter::create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!state->file.valid()) return system_error("cannot write " + path, errno);
  ReferenceFileHeader header{kReferencesMagic, kReferencesVersion, 0};
  state->write(&header, sizeof header);
  if (!state->status) return state->status.error();
  return ReferenceWriter(std::move(state));
}

uint64_t ReferenceWriter::references() const { return state_->references; }
const Status& ReferenceWriter::status() const { return state_->status; }

void ReferenceWriter::add(uint32_t thread, const Reference& reference) {
  State& s = *state_;
  bool fits = thread < kMaxReferenceThreads && reference.size != 0 && reference.size <= kMaxReferenceSize &&
              reference.address <= ~uint64_t{0} - reference.size;
  if (!fits && s.status.ok()) {
    s.status = Error{fmt::format("{}: reference {} is impossible: thread {}, address {:#x}, {} bytes", s.path,
                                 s.references + 1, thread, reference.address, reference.size)};
  }
  if (!s.status) return;
  if (thread >= s.last.size()) {
    s.last.resize(thread + 1);
    s.counts.resize(thread + 1);
  }
  State::Last& last = s.last[thread];
  if (last.block != s.blocks) last = {s.blocks, 0, 0, 0};
  s.counts[thread]++;
  s.references++;
  s.threads.push_back(static_cast<uint16_t>(thread));
  s.wide |= thread > 0xff;
  bool here = reference.size <= 62 || reference.size == 64;
  uint8_t code = !here ? kSizeElsewhere : reference.size == 64 ? kSize64 : static_cast<uint8_t>(reference.size - 1);
  s.kinds.push_back(static_cast<uint8_t>(static_cast<uint8_t>(reference.kind) << 6 | code));
  if (!here) State::append(s.sizes, reference.size);
  State::append(s.addresses, zigzag(static_cast<int64_t>(reference.address - last.address)));
  State::append(s.sites, zigzag(static_cast<int64_t>(reference.site - last.site)));
  State::append(s.serials, zigzag(static_cast<int64_t>(reference.serial - last.serial)));
  s.has_sites |= reference.site != 0;
  s.has_serials |= reference.serial != 0;
  last.address = reference.address;
  last.site = reference.site;
  last.serial = reference.serial;
  if (s.threads.size() == kMaxBlockReferences) s.flush();
}

Status ReferenceWriter::finish() {
  State& s = *state_;
  s.flush();
  if (!s.status) return s.status;
  ReferenceFileTail tail{s.offset, kReferencesEndMagic};
  s.raw.resize(8 * (1 + s.counts.size()));
  memcpy(s.raw.data(), &s.references, 8);
  if (!s.counts.empty()) memcpy(s.raw.data() + 8, s.counts.data(), 8 * s.counts.size());
  s.write_block(kReferenceTrailerMagic, static_cast<uint32_t>(s.counts.size()));
  if (s.status.ok()) s.write(&tail, sizeof tail);
  return s.status;
}

}  // namespace ana
