#include "cli/program_files.h"

#include "runtime/layout.h"
#include "trace/mapped_libraries.h"

namespace ana {

ProgramFiles::ProgramFiles(const TraceReader& reader) : ProgramFiles(reader.program_file()) { reader_ = &reader; }

ProgramFiles::ProgramFiles(const std::string& program) {
  if (auto elf = ElfFile::open(program)) add(program, elf->position_independent() ? layout::kProgram : 0);
}

void ProgramFiles::add(const std::string& path, uint64_t bias) const {
  auto elf = ElfFile::open(path);
  if (!elf) return;
  ElfFile::Section extent = elf->extent();
  uint64_t begin = bias + extent.address;
  files_.push_back({path, std::move(*elf), bias, begin, begin + extent.bytes});
}

ProgramFiles::Found ProgramFiles::look_up(uint64_t address) const {
  bool may_be_library = address >= layout::kMappings && address < layout::kLargeMappings;
  if (may_be_library && reader_ && !knows_libraries_) {
    knows_libraries_ = true;
    for (const MappedLibrary& library : read_mapped_libraries(*reader_)) add(library.file, library.bias);
  }
  Found found;
  for (const File& file : files_) {
    if (address < file.begin || address >= file.end) continue;
    if (found.file) return {nullptr, true};
    found.file = &file;
  }
  return found;
}

}  // namespace ana
