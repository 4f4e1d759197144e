#include "debug/register_layout.h"

#include <fmt/format.h>

#include <cstring>

namespace ana::debug {

namespace {

// Of the XSAVE area.
constexpr size_t kStack87 = 32, kXmm = 160, kMxcsr = 24, kComponents = 512, kYmmHigh = 576;
constexpr uint64_t kHasYmm = 4;

struct Place {
  const char* name;
  size_t bytes;
  const char* type;
};

std::vector<Place> all_places() {
  std::vector<Place> all;
  for (const char* name : {"rax", "rbx", "rcx", "rdx", "rsi", "rdi"}) all.push_back({name, 8, "int64"});
  all.push_back({"rbp", 8, "data_ptr"});
  all.push_back({"rsp", 8, "data_ptr"});
  for (const char* name : {"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}) all.push_back({name, 8, "int64"});
  all.push_back({"rip", 8, "code_ptr"});
  all.push_back({"eflags", 4, "i386_eflags"});
  for (const char* name : {"cs", "ss", "ds", "es", "fs", "gs"}) all.push_back({name, 4, "int32"});
  for (const char* name : {"st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7"}) all.push_back({name, 10, "i387_ext"});
  for (const char* name : {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"})
    all.push_back({name, 4, "int"});
  return all;
}

const std::vector<Place>& core() {
  static const std::vector<Place> places = all_places();
  return places;
}
constexpr size_t kVectors = 16;

void append(std::string& to, const void* from, size_t bytes) { to.append(static_cast<const char*>(from), bytes); }

// One bit for each register of the stack in the XSAVE area, two in gdb's word: 3 is empty.
uint32_t tag_word(uint8_t used) {
  uint32_t word = 0;
  for (int i = 0; i < 8; i++)
    if (!(used >> i & 1)) word |= 3u << (2 * i);
  return word;
}

}  // namespace

std::string target_description() {
  std::string text =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
      "<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>"
      "<feature name=\"org.gnu.gdb.i386.core\"><flags id=\"i386_eflags\" size=\"4\">";
  struct { const char* name; int bit; } flags[] = {{"CF", 0}, {"", 1}, {"PF", 2}, {"AF", 4}, {"ZF", 6}, {"SF", 7},
      {"TF", 8}, {"IF", 9}, {"DF", 10}, {"OF", 11}, {"NT", 14}, {"RF", 16}, {"VM", 17}, {"AC", 18}, {"ID", 21}};
  for (auto& flag : flags) text += fmt::format("<field name=\"{}\" start=\"{}\" end=\"{}\"/>", flag.name, flag.bit, flag.bit);
  text += "</flags>";
  for (const Place& place : core())
    text += fmt::format("<reg name=\"{}\" bitsize=\"{}\" type=\"{}\"/>", place.name, place.bytes * 8, place.type);
  text +=
      "</feature><feature name=\"org.gnu.gdb.i386.sse\"><vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
      "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/><vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
      "<vector id=\"v8i16\" type=\"int16\" count=\"8\"/><vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
      "<vector id=\"v2i64\" type=\"int64\" count=\"2\"/><union id=\"vec128\"><field name=\"v4_float\" type=\"v4f\"/>"
      "<field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" type=\"v16i8\"/>"
      "<field name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" type=\"v4i32\"/>"
      "<field name=\"v2_int64\" type=\"v2i64\"/><field name=\"uint128\" type=\"uint128\"/></union>";
  for (size_t i = 0; i < kVectors; i++) text += fmt::format("<reg name=\"xmm{}\" bitsize=\"128\" type=\"vec128\"/>", i);
  text +=
      "<reg name=\"mxcsr\" bitsize=\"32\" type=\"int\"/></feature>"
      "<feature name=\"org.gnu.gdb.i386.linux\"><reg name=\"orig_rax\" bitsize=\"64\" type=\"int\"/></feature>"
      "<feature name=\"org.gnu.gdb.i386.segments\"><reg name=\"fs_base\" bitsize=\"64\" type=\"int\"/>"
      "<reg name=\"gs_base\" bitsize=\"64\" type=\"int\"/></feature><feature name=\"org.gnu.gdb.i386.avx\">";
  for (size_t i = 0; i < kVectors; i++) text += fmt::format("<reg name=\"ymm{}h\" bitsize=\"128\" type=\"uint128\"/>", i);
  return text + "</feature></target>";
}

std::string register_bytes(const Registers& r, const std::vector<char>& vector_state) {
  std::vector<char> state = vector_state;
  state.resize(std::max<size_t>(state.size(), kYmmHigh + 16 * kVectors));
  std::string bytes;
  for (uint64_t value : {r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13,
                         r.r14, r.r15, r.rip})
    append(bytes, &value, 8);
  for (uint64_t value : {r.eflags, r.cs, r.ss, r.ds, r.es, r.fs, r.gs}) append(bytes, &value, 4);
  for (size_t i = 0; i < 8; i++) append(bytes, &state[kStack87 + 16 * i], 10);
  uint16_t words[4];
  memcpy(words, state.data(), sizeof words);
  uint32_t pointers[4];
  memcpy(pointers, state.data() + 8, sizeof pointers);
  uint32_t control[8] = {words[0], words[1], tag_word(static_cast<uint8_t>(words[2])),
                         pointers[1], pointers[0], pointers[3], pointers[2], words[3]};
  append(bytes, control, sizeof control);
  append(bytes, &state[kXmm], 16 * kVectors);
  append(bytes, &state[kMxcsr], 4);
  for (uint64_t value : {r.orig_rax, r.fs_base, r.gs_base}) append(bytes, &value, 8);
  uint64_t components = 0;
  memcpy(&components, &state[kComponents], sizeof components);
  if (!(components & kHasYmm)) memset(&state[kYmmHigh], 0, 16 * kVectors);
  append(bytes, &state[kYmmHigh], 16 * kVectors);
  return bytes;
}

size_t register_place(size_t n, size_t& bytes) {
  size_t at = 0;
  auto next = [&](size_t size) {
    bytes = size;
    if (n-- == 0) return true;
    at += size;
    return false;
  };
  for (const Place& place : core())
    if (next(place.bytes)) return at;
  for (size_t i = 0; i < kVectors; i++)
    if (next(16)) return at;
  if (next(4)) return at;
  for (int i = 0; i < 3; i++)
    if (next(8)) return at;
  for (size_t i = 0; i < kVectors; i++)
    if (next(16)) return at;
  bytes = 0;
  return 0;
}

}  // namespace ana::debug
