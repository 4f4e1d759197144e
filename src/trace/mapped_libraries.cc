#include "trace/mapped_libraries.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "trace/elf_file.h"

namespace ana {

namespace {

constexpr const char* kSitesSection = "ana_sites";

}  // namespace

std::optional<ElfMapping> elf_mapping_in(const Value& value) {
  ElfMapping mapping;
  size_t name = path_in(value).size() + 1;
  if (value.bytes.size() != name + sizeof mapping) return std::nullopt;
  memcpy(&mapping, value.bytes.data() + name, sizeof mapping);
  return mapping;
}

void MappedLibraries::note(const Value& value, const PackedFiles& packed) {
  if (value.op != kOpElfMapping) return;
  auto mapping = elf_mapping_in(value);
  if (!mapping || !(mapping->protection & PROT_EXEC)) return;
  MappedLibrary library{packed.find(path_in(value))};
  auto elf = ElfFile::open(library.file);
  bool is_same = elf && elf->file_bytes() == static_cast<uint64_t>(value.result);
  if (!is_same || !elf->section(kSitesSection)) return;
  auto bias = elf->bias_of(mapping->at, mapping->offset);
  if (!bias) return;
  ElfFile::Section extent = elf->extent();
  library.bias = *bias;
  library.begin = *bias + extent.address;
  library.end = library.begin + extent.bytes;
  bool known = std::any_of(all_.begin(), all_.end(), [&](const MappedLibrary& other) {
    return other.file == library.file && other.bias == library.bias;
  });
  if (!known) all_.push_back(std::move(library));
}

std::vector<MappedLibrary> read_mapped_libraries(const TraceReader& reader) {
  MappedLibraries libraries;
  for (uint32_t slot = 0; slot < reader.slots(); slot++) {
    StreamCursor cursor = reader.stream(slot);
    for (auto action = cursor.next(); action && *action; action = cursor.next()) {
      if (const Value* value = std::get_if<Value>(&**action)) libraries.note(*value, reader.packed());
    }
  }
  return libraries.all();
}

}  // namespace ana
