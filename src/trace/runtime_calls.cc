#include "trace/runtime_calls.h"

#include <string.h>

#include <algorithm>

#include "trace/cold_call.h"

namespace ana {

namespace {

constexpr const char* kTables[] = {".plt", ".plt.sec", ".plt.got"};

// Calls target(address of an entry, address of the slot that it jumps by).
template <class Target>
void each_jump(const ElfFile& file, const ElfFile::NamedSection& table, Target target) {
  constexpr uint8_t kEndBranch[] = {0xf3, 0x0f, 0x1e, 0xfa}, kBound = 0xf2;
  constexpr uint64_t kEntry = 8;  // they begin at multiples of it
  const uint8_t* bytes = file.at(table.address, table.bytes);
  for (uint64_t entry = 0; entry + kEntry <= table.bytes; entry += kEntry) {
    uint64_t at = entry;
    if (table.bytes - at >= sizeof kEndBranch && memcmp(bytes + at, kEndBranch, sizeof kEndBranch) == 0)
      at += sizeof kEndBranch;
    if (at < table.bytes && bytes[at] == kBound) at++;
    constexpr uint64_t kJump = 6;  // jmp *slot(%rip)
    if (table.bytes - at < kJump || bytes[at] != 0xff || bytes[at + 1] != 0x25) continue;
    target(table.address + entry,
           table.address + at + kJump + static_cast<uint64_t>(int64_t{displacement_at(bytes + at + 2)}));
  }
}

}  // namespace

std::unordered_set<uint64_t> runtime_calls(const ElfFile& file, uint64_t base,
                                           std::initializer_list<std::string_view> names) {
  auto is_wanted = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::unordered_set<uint64_t> out, slots;
  for (const ElfFile::Symbol& f : file.functions())
    if (is_wanted(f.name)) out.insert(base + f.address);
  for (const ElfFile::Symbol& slot : file.function_slots())
    if (is_wanted(slot.name)) slots.insert(slot.address);
  for (const ElfFile::NamedSection& section : file.code_sections()) {
    if (std::find(std::begin(kTables), std::end(kTables), section.name) == std::end(kTables)) continue;
    each_jump(file, section, [&](uint64_t jump, uint64_t slot) {
      if (slots.contains(slot)) out.insert(base + jump);
    });
  }
  return out;
}

}  // namespace ana
