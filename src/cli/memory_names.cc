#include "cli/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/source_lines.h"
#include "runtime/layout.h"
#include "trace/live_reference.h"
#include "trace/session.h"

namespace ana {

namespace {

std::string text_of(const SourcePlace& known) {
  if (!known.file.empty()) {
    std::string file = std::filesystem::path(known.file).filename().string();
    return fmt::format("{}:{}{}", file, known.line, known.function.empty() ? "" : " (" + known.function + ")");
  }
  return known.function.empty() ? "" : known.function + " (compile with -g for the line)";
}

}  // namespace

MemoryNames::MemoryNames(const std::string& program) : program_(program), sites_(program), calls_(program) {
  auto elf = ElfFile::open(program);
  if (!elf) return;
  base_ = elf->position_independent() ? layout::kProgram : 0;
  code_begin_ = UINT64_MAX;
  for (const auto& section : elf->code_sections()) {
    code_begin_ = std::min(code_begin_, base_ + section.address);
    code_end_ = std::max(code_end_, base_ + section.address + section.bytes);
  }
  for (const ElfFile::Symbol& v : elf->variables()) variables_.push_back({base_ + v.address, v.bytes, std::string(v.name)});
}

SourcePlace MemoryNames::find(uint64_t site) const {
  if (site & kCalledFrom) return find((site & ~kCalledFrom) - 1);
  if (auto place = sites_.find(site)) {
    place->function = demangled(place->function);
    return *place;
  }
  if (site < code_begin_ || site >= code_end_) return {};
  return source_place(program_, site - base_);
}

std::vector<SourcePlace> MemoryNames::frames(uint64_t address) const {
  return is_code(address) ? source_frames(program_, address - base_) : std::vector<SourcePlace>();
}

const SourcePlace& MemoryNames::place(uint64_t site) {
  auto [at, added] = known_.try_emplace(site);
  if (added) at->second = find(site);
  return at->second;
}

std::string MemoryNames::text(uint64_t site) {
  std::string known = text_of(place(site));
  if (site & kCalledFrom) {
    std::string function = calls_.function(site & ~kCalledFrom);
    return (function.empty() ? "a library function" : function) + (known.empty() ? "" : ", called at " + known);
  }
  if (!known.empty()) return known;
  if (site < 4096 || calls_.is_data(site)) return "a library function";
  return fmt::format("{:#x}, outside the program's own code", site);
}

std::string MemoryNames::variable(uint64_t address) const {
  auto after = std::upper_bound(variables_.begin(), variables_.end(), address,
                                [](uint64_t at, const Variable& v) { return at < v.address; });
  if (after != variables_.begin()) {
    const Variable& v = *std::prev(after);
    if (address - v.address < v.bytes) {
      std::string name = demangled(v.name);
      return address == v.address ? name : fmt::format("{}+{}", name, address - v.address);
    }
  }
  uint64_t slot = (address - layout::kThreadStacks) / layout::kThreadStackStride;
  if (address >= layout::kThreadStacks && slot < kMaxSlots) return fmt::format("the stack of thread {}", slot);
  if (address - layout::kMainStack < layout::kMainStackBytes) return "the stack of thread 0";
  return "";
}

}  // namespace ana
