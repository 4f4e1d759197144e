#include "trace/loader_cache.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ana {

namespace {

constexpr char kMagic[] = "glibc-ld.so.cache1.1";
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr size_t kHeaderBytes = 48;  // the magic, u32 number of entries, u32 bytes of all paths behind them, and others
// An entry: i32 flags, u32 offset of the library's name, u32 of its path (the name is the end of it), u32 version of the
// system, u64 hardware capabilities.
constexpr size_t kWords = 6;
constexpr size_t kName = 1, kPath = 2;

size_t entries_at(const uint8_t* bytes, size_t size) {
  if (size < kHeaderBytes || memcmp(bytes, kMagic, kMagicBytes) != 0) return 0;
  uint32_t entries;
  memcpy(&entries, bytes + kMagicBytes, sizeof entries);
  return entries <= (size - kHeaderBytes) / (kWords * sizeof(uint32_t)) ? entries : 0;
}

// Small numbers, also of differences below 0.
uint32_t fold(uint32_t difference) { return difference << 1 ^ (0 - (difference >> 31)); }
uint32_t unfold(uint32_t folded) { return folded >> 1 ^ (0 - (folded & 1)); }

using Entry = std::array<uint32_t, kWords>;
static_assert(sizeof(Entry) == 24);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at the beginning, without zeros in front of it, is taken off.
std::string_view take_number(std::string_view& from) {
  size_t end = 0;
  while (end < from.size() && is_digit(from[end])) end++;
  std::string_view number = from.substr(0, end);
  from.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// The order of _dl_cache_libcmp() in glibc: numbers as such, and behind all other characters.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) != is_digit(b[0])) return is_digit(b[0]);
    if (is_digit(a[0])) {
      std::string_view left = take_number(a), right = take_number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.empty() && !b.empty();
}

// The names behind the table, in the order in which the entries should have them: the last one first.
class NameOrder {
 public:
  NameOrder(const uint8_t* bytes, size_t size, size_t entries) {
    uint32_t all;
    memcpy(&all, bytes + kMagicBytes + sizeof(uint32_t), sizeof all);
    size_t at = kHeaderBytes + entries * sizeof(Entry);
    size_t end = std::min<size_t>(at + all, size);
    std::vector<Name> names;
    while (at < end && names.size() < 2 * entries) {  // other paths may be among them
      const char* text = reinterpret_cast<const char*>(bytes) + at;
      std::string_view path(text, strnlen(text, end - at));
      size_t name = path.rfind('/') + 1;  // 0 if there is none
      names.push_back({static_cast<uint32_t>(at + name), path.substr(name)});
      at += path.size() + 1;
    }
    std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) {
      bool after = comes_before(b.text, a.text);
      return after || (a.at < b.at && !comes_before(a.text, b.text));
    });
    for (size_t i = 0; i < names.size(); i++) next_[i == 0 ? 0 : names[i - 1].at] = names[i].at;
  }
  // Of the first one: 0.
  uint32_t after(uint32_t name) const {
    auto found = next_.find(name);
    return found == next_.end() ? name : found->second;
  }

 private:
  struct Name {
    uint32_t at;
    std::string_view text;
  };
  std::unordered_map<uint32_t, uint32_t> next_;
};

// What each word is told as the difference to.
Entry expected(const NameOrder& names, const Entry& before, const Entry& present) {
  Entry e = before;
  e[kName] = names.after(before[kName]);
  e[kPath] = present[kName];
  return e;
}

// Column by column, of each the first bytes of all entries, then the second ones.
size_t place(size_t entries, size_t entry, size_t word, size_t byte) { return (word * 4 + byte) * entries + entry; }

}  // namespace

std::optional<size_t> find_loader_cache(const uint8_t* bytes, size_t size) {
  const void* found = size == 0 ? nullptr : ::memmem(bytes, size, kMagic, kMagicBytes);
  if (found == nullptr) return std::nullopt;
  size_t at = static_cast<size_t>(static_cast<const uint8_t*>(found) - bytes);
  if (entries_at(bytes + at, size - at) == 0) return std::nullopt;
  return at;
}

bool loader_cache_to_columns(uint8_t* bytes, size_t size) {
  size_t entries = entries_at(bytes, size);
  if (entries == 0) return false;
  uint8_t* table = bytes + kHeaderBytes;
  NameOrder names(bytes, size, entries);
  std::vector<uint8_t> columns(entries * sizeof(Entry));
  Entry before{};
  for (size_t i = 0; i < entries; i++) {
    Entry entry;
    memcpy(&entry, table + i * sizeof entry, sizeof entry);
    Entry from = expected(names, before, entry);
    for (size_t word = 0; word < kWords; word++) {
      uint32_t folded = fold(entry[word] - from[word]);
      for (size_t byte = 0; byte < 4; byte++)
        columns[place(entries, i, word, byte)] = static_cast<uint8_t>(folded >> (8 * byte));
    }
    before = entry;
  }
  memcpy(table, columns.data(), columns.size());
  return true;
}

bool loader_cache_from_columns(uint8_t* bytes, size_t size) {
  size_t entries = entries_at(bytes, size);
  if (entries == 0) return false;
  uint8_t* table = bytes + kHeaderBytes;
  NameOrder names(bytes, size, entries);
  std::vector<uint8_t> columns(table, table + entries * sizeof(Entry));
  Entry before{};
  for (size_t i = 0; i < entries; i++) {
    Entry entry{};
    for (size_t word = 0; word < kWords; word++) {
      uint32_t folded = 0;
      for (size_t byte = 0; byte < 4; byte++)
        folded |= static_cast<uint32_t>(columns[place(entries, i, word, byte)]) << (8 * byte);
      // The path comes after the name, to which it is told.
      entry[word] = expected(names, before, entry)[word] + unfold(folded);
    }
    memcpy(table + i * sizeof entry, &entry, sizeof entry);
    before = entry;
  }
  return true;
}

}  // namespace ana
