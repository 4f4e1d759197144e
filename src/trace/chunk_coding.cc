#include "trace/chunk_coding.h"

#include <string.h>
#include <zstd.h>

#include <algorithm>
#include <optional>

#include "trace/chunk_format.h"
#include "trace/edge_model.h"
#include "trace/loader_cache.h"
#include "trace/stream_format.h"

namespace ana {

namespace {

// The recorder shares the machine with the program: speed before size.
constexpr int kCompressionLevel = 1;

// Bytes that may end anywhere.
struct Reader {
  const uint8_t* at;
  const uint8_t* end;

  // Only in the form that put_varint() gives it.
  std::optional<uint64_t> varint() {
    uint64_t value = 0;
    for (uint32_t i = 0; i < kMaxVarint && at < end; i++) {
      uint8_t byte = *at++;
      if (byte < 0x80 && i > 0 && byte == 0) return std::nullopt;
      if (i == kMaxVarint - 1 && byte > 1) return std::nullopt;
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  bool skip(uint64_t bytes) {
    if (static_cast<uint64_t>(end - at) < bytes) return false;
    at += bytes;
    return true;
  }
};

bool is_edge(uint64_t head) { return static_cast<RecordKind>(head & 3) == RecordKind::kEdge; }

std::optional<EdgeFields> read_edge(Reader& from, uint64_t head) {
  auto site = from.varint(), source = from.varint(), count = from.varint(), edges = from.varint();
  if (!site || !source || !count || !edges || *source >= kMaxSlots) return std::nullopt;
  return EdgeFields{head >> 2, unzigzag(*site), *source, unzigzag(*count), unzigzag(*edges)};
}

uint32_t put_edge(uint8_t* to, const EdgeFields& edge) {
  uint32_t n = put_varint(to, edge.count_change << 2 | static_cast<uint32_t>(RecordKind::kEdge));
  n += put_varint(to + n, zigzag(edge.site_change));
  n += put_varint(to + n, edge.source);
  n += put_varint(to + n, zigzag(edge.source_count_change));
  return n + put_varint(to + n, zigzag(edge.source_edges_change));
}

// Behind the head of a record that is no edge.
bool skip_other(Reader& from, uint64_t head) {
  RecordKind kind = static_cast<RecordKind>(head & 3);
  if (kind != RecordKind::kValue && kind != RecordKind::kVersions) return false;
  if (kind == RecordKind::kValue && (!from.varint() || !from.varint())) return false;
  auto length = from.varint();
  return length && from.skip(*length);
}

// Whether the next record is an edge mostly follows from the two before.
class KindModel {
 public:
  template <class Coder>
  bool code(Coder& coder, bool edge) {
    bool got = coder.bit(models_[last_], edge);
    last_ = (last_ << 1 | got) & 3;
    return got;
  }

 private:
  BitModel models_[4];
  uint32_t last_ = 0;
};

void append_varint(std::vector<uint8_t>& to, uint64_t value) {
  uint8_t bytes[kMaxVarint];
  to.insert(to.end(), bytes, bytes + put_varint(bytes, value));
}

}  // namespace

void ChunkEncoder::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

ChunkEncoder::ChunkEncoder() : context_(ZSTD_createCCtx()) {}

uint64_t ChunkEncoder::split(const uint8_t* raw, size_t size, size_t first_record) {
  coded_.clear();
  rest_.assign(raw, raw + first_record);
  EdgeModel edges;
  KindModel kinds;
  BitEncoder coder(coded_);
  Reader reader{raw + first_record, raw + size};
  const uint8_t* done = reader.at;
  uint64_t records = 0, edge_bytes = 0;
  for (; reader.at < reader.end; records++) {
    auto head = reader.varint();
    if (!head) break;
    if (is_edge(*head)) {
      auto edge = read_edge(reader, *head);
      if (!edge) break;
      kinds.code(coder, true);
      edges.code(coder, *edge);
      edge_bytes += static_cast<uint64_t>(reader.at - done);
    } else {
      if (!skip_other(reader, *head)) break;
      kinds.code(coder, false);
      rest_.insert(rest_.end(), done, reader.at);
    }
    done = reader.at;
  }
  coder.finish();
  if (coded_.size() < edge_bytes) {
    rest_.insert(rest_.end(), done, raw + size);
    return records;
  }
  // No edges, or such as nobody could expect.
  coded_.clear();
  rest_.assign(raw, raw + size);
  return 0;
}

bool ChunkEncoder::encode(const uint8_t* raw, size_t size, size_t first_record, std::vector<uint8_t>& out) {
  uint64_t records = split(raw, size, first_record);
  append_varint(out, records == 0 ? 0 : first_record);
  append_varint(out, records);
  append_varint(out, coded_.size());
  out.insert(out.end(), coded_.begin(), coded_.end());
  auto cache = find_loader_cache(rest_.data(), rest_.size());
  if (cache) loader_cache_to_columns(rest_.data() + *cache, rest_.size() - *cache);
  append_varint(out, cache ? *cache + 1 : 0);
  if (rest_.empty()) return true;
  size_t before = out.size();
  out.resize(before + ZSTD_compressBound(rest_.size()));
  size_t stored = ZSTD_compressCCtx(context_.get(), out.data() + before, out.size() - before, rest_.data(), rest_.size(),
                                    kCompressionLevel);
  if (ZSTD_isError(stored)) return false;
  out.resize(before + stored);
  return true;
}

bool decode_chunk(const uint8_t* stored, size_t stored_bytes, uint8_t* raw, size_t raw_bytes) {
  Reader reader{stored, stored + stored_bytes};
  auto first_record = reader.varint(), records = reader.varint(), coded_bytes = reader.varint();
  if (!first_record || !records || !coded_bytes) return false;
  const uint8_t* coded = reader.at;
  if (!reader.skip(*coded_bytes)) return false;
  auto cache = reader.varint();
  if (!cache) return false;
  std::vector<uint8_t> rest;
  if (reader.at < reader.end) {
    rest.resize(raw_bytes);
    size_t n = ZSTD_decompress(rest.data(), rest.size(), reader.at, static_cast<size_t>(reader.end - reader.at));
    if (ZSTD_isError(n)) return false;
    rest.resize(n);
  }
  if (*cache > rest.size()) return false;
  if (*cache != 0 && !loader_cache_from_columns(rest.data() + *cache - 1, rest.size() - *cache + 1)) return false;
  Reader others{rest.data(), rest.data() + rest.size()};
  uint8_t* to = raw;
  uint8_t* end = raw + raw_bytes;
  auto copy = [&](const uint8_t* from, size_t bytes) {
    if (static_cast<size_t>(end - to) < bytes) return false;
    if (bytes > 0) memcpy(to, from, bytes);
    to += bytes;
    return true;
  };
  if (!others.skip(*first_record) || !copy(rest.data(), *first_record)) return false;
  EdgeModel edges;
  KindModel kinds;
  BitDecoder coder(coded, *coded_bytes);
  for (uint64_t i = 0; i < *records; i++) {
    if (kinds.code(coder, false)) {
      uint8_t bytes[5 * kMaxVarint];
      if (!copy(bytes, put_edge(bytes, edges.code(coder, EdgeFields{})))) return false;
      continue;
    }
    const uint8_t* record = others.at;
    auto head = others.varint();
    if (!head || is_edge(*head) || !skip_other(others, *head)) return false;
    if (!copy(record, static_cast<size_t>(others.at - record))) return false;
  }
  return copy(others.at, static_cast<size_t>(others.end - others.at)) && to == end;
}

}  // namespace ana
