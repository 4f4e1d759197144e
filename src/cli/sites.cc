#include "cli/sites.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>

#include <memory>

#include "anaphora/runtime_abi.h"

namespace ana {

namespace {

constexpr const char* kSitesSection = "ana_sites";

std::string_view field_string(const ElfFile& elf, uint64_t field_address, int32_t value) {
  if (value == 0) return {};
  return elf.string_at(field_address + static_cast<uint64_t>(static_cast<int64_t>(value)));
}

}  // namespace

// The demangler also takes encoded types: "i" would be an int.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), ::free);
  return status == 0 && text ? text.get() : name;
}

std::optional<SourcePlace> SiteResolver::find(uint64_t site) const {
  if (site < kFirstAddress) return std::nullopt;
  const ProgramFiles::File* file = files_.find(site);
  auto sites = file ? file->elf.section(kSitesSection) : std::nullopt;
  if (!sites) return std::nullopt;
  const ElfFile& elf = file->elf;
  uint64_t address = site - file->bias;
  if (address < sites->address || address - sites->address >= sites->bytes) return std::nullopt;
  const uint8_t* bytes = elf.at(address, sizeof(AnaSite));
  if (bytes == nullptr) return std::nullopt;
  AnaSite record;
  memcpy(&record, bytes, sizeof record);
  SourcePlace place;
  place.file = field_string(elf, address + offsetof(AnaSite, file), record.file);
  place.function = field_string(elf, address + offsetof(AnaSite, function), record.function);
  place.line = record.line;
  place.column = record.column & ANA_SITE_COLUMN;
  return place;
}

const std::string& SiteResolver::describe(uint64_t site) {
  auto [at, added] = described_.try_emplace(site);
  if (!added) return at->second;
  std::string& text = at->second;
  if (site == 0) {
    text = "an unknown place";
  } else if (site < kFirstAddress) {
    text = "a library or system call";
  } else if (auto place = find(site); place && !place->file.empty()) {
    text = fmt::format("{}:{}", place->file, place->line);
    if (!place->function.empty()) text += fmt::format(" ({})", demangled(place->function));
  } else if (place && !place->function.empty()) {
    text = fmt::format("{} (compile with -g for the line)", demangled(place->function));
  } else {
    text = fmt::format("{:#x}", site);
  }
  return text;
}

}  // namespace ana
