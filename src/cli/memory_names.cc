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

bool MemoryNames::is_code(uint64_t site) const {
  const ProgramFiles::File* file = site < kFirstAddress ? nullptr : sites_.files().find(site);
  if (!file) return false;
  // From the first to the last, whatever stands between them.
  uint64_t begin = UINT64_MAX, end = 0;
  for (const auto& section : file->elf.code_sections()) {
    begin = std::min(begin, section.address);
    end = std::max(end, section.address + section.bytes);
  }
  uint64_t address = site - file->bias;
  return address >= begin && address < end;
}

SourcePlace MemoryNames::find(uint64_t site) const {
  if (site & kCalledFrom) return find((site & ~kCalledFrom) - 1);
  if (auto place = sites_.find(site)) {
    place->function = demangled(place->function);
    return *place;
  }
  if (!is_code(site)) return {};
  const ProgramFiles::File& file = *sites_.files().find(site);
  return source_place(file.path, site - file.bias);
}

std::vector<SourcePlace> MemoryNames::frames(uint64_t address) const {
  if (!is_code(address)) return {};
  const ProgramFiles::File& file = *sites_.files().find(address);
  return source_frames(file.path, address - file.bias);
}

const std::vector<ElfFile::Symbol>& MemoryNames::variables_of(const ProgramFiles::File& file) const {
  auto [at, added] = variables_.try_emplace(&file);
  if (added) at->second = file.elf.variables();
  return at->second;
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
  if (site < kFirstAddress || calls_.is_data(site)) return "a library function";
  bool several = sites_.files().has_several(site);
  return fmt::format("{:#x}, {}", site, several ? "where several libraries were" : "outside the program's own code");
}

std::string MemoryNames::variable(uint64_t address) const {
  if (const ProgramFiles::File* file = sites_.files().find(address)) {
    const auto& variables = variables_of(*file);
    uint64_t there = address - file->bias;
    auto after = std::upper_bound(variables.begin(), variables.end(), there,
                                  [](uint64_t at, const ElfFile::Symbol& v) { return at < v.address; });
    if (after == variables.begin()) return "";
    const ElfFile::Symbol& v = *std::prev(after);
    if (there - v.address >= v.bytes) return "";
    std::string name = demangled(std::string(v.name));
    return there == v.address ? name : fmt::format("{}+{}", name, there - v.address);
  }
  uint64_t slot = (address - layout::kThreadStacks) / layout::kThreadStackStride;
  if (address >= layout::kThreadStacks && slot < kMaxSlots) return fmt::format("the stack of thread {}", slot);
  if (address - layout::kMainStack < layout::kMainStackBytes) return "the stack of thread 0";
  return "";
}

}  // namespace ana
