// An ELF file for x86-64, as far as the tools look into one: its identity, its sections and what lies at an address.
// Every offset in the file is checked, so any file may be given. Immutable after open().
#pragma once
#include <elf.h>
#include <stdint.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/result.h"

namespace ana {

// The code of the runtime that is linked into programs (runtime/interpose/section.h).
constexpr const char* kWrappersSection = "ana_runtime";

class ElfFile {
 public:
  static Result<ElfFile> open(const std::string& path);
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  bool position_independent() const { return type_ == ET_DYN; }
  uint64_t file_bytes() const { return size_; }
  // "gnu:<hex>" from NT_GNU_BUILD_ID, else "xxh64:<hex>" of the whole file.
  std::string build_id() const;

  struct Section {
    uint64_t address;
    uint64_t bytes;
  };
  std::optional<Section> section(std::string_view name) const;
  struct NamedSection {
    std::string_view name;
    uint64_t address;
    uint64_t bytes;
  };
  // Those with instructions; their bytes are in the file.
  std::vector<NamedSection> code_sections() const;

  struct Symbol {
    std::string_view name;
    uint64_t address;
    uint64_t bytes;
  };
  // Variables of the symbol table, by address; none in a stripped file.
  std::vector<Symbol> variables() const { return symbols(STT_OBJECT); }
  // Functions, likewise; in a stripped file only those that others may call.
  std::vector<Symbol> functions() const { return symbols(STT_FUNC); }

  // Where the dynamic loader writes the addresses of functions that the file imports.
  std::vector<Symbol> function_slots() const;

  // The libraries that the dynamic loader is asked for (DT_NEEDED), and where to look first (DT_RUNPATH or DT_RPATH).
  std::vector<std::string> needed() const { return dynamic_strings(DT_NEEDED); }
  std::string library_path() const;

  // The addresses from its first to behind its last, of those that are loaded.
  Section extent() const;
  // Where it is loaded, if its bytes from `offset` on are executable at `at`; nothing if it has no such code.
  std::optional<uint64_t> bias_of(uint64_t at, uint64_t offset) const;

  // The dynamic loader that it names (PT_INTERP); empty if none.
  std::string interpreter() const;

  // The file's bytes for [address, address + size), or null if they are not all in the file.
  const uint8_t* at(uint64_t address, uint64_t size) const;
  // The string at `address`; empty if there is none.
  std::string_view string_at(uint64_t address) const;

 private:
  ElfFile(const uint8_t* bytes, uint64_t size) : bytes_(bytes), size_(size) {}
  Status parse();
  std::vector<Symbol> symbols(unsigned type) const;
  const uint8_t* range(uint64_t offset, uint64_t size) const;
  std::string_view name_of(const Elf64_Shdr& section) const;
  std::optional<std::string> gnu_build_id() const;
  std::vector<std::string> dynamic_strings(int64_t tag) const;

  const uint8_t* bytes_;  // a private mapping of the file
  uint64_t size_;
  uint16_t type_ = 0;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  uint64_t names_offset_ = 0, names_size_ = 0;
};

}  // namespace ana
