#include "trace/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "trace/unique_fd.h"

namespace ana {

Result<ElfFile> ElfFile::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return system_error("cannot open " + path, errno);
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return system_error("cannot stat " + path, errno);
  if (!S_ISREG(info.st_mode)) return Error{path + " is not a regular file"};
  uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size < sizeof(Elf64_Ehdr)) return Error{path + " is not an ELF file"};
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (bytes == MAP_FAILED) return system_error("cannot map " + path, errno);
  ElfFile file(static_cast<const uint8_t*>(bytes), size);
  if (Status s = file.parse(); !s) return Error{path + " " + s.error().text};
  return file;
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, nullptr)),
      size_(other.size_),
      type_(other.type_),
      segments_(std::move(other.segments_)),
      sections_(std::move(other.sections_)),
      names_offset_(other.names_offset_),
      names_size_(other.names_size_) {}

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(size_, other.size_);
  std::swap(type_, other.type_);
  std::swap(segments_, other.segments_);
  std::swap(sections_, other.sections_);
  std::swap(names_offset_, other.names_offset_);
  std::swap(names_size_, other.names_size_);
  return *this;
}

ElfFile::~ElfFile() {
  if (bytes_ != nullptr) ::munmap(const_cast<uint8_t*>(bytes_), size_);
}

const uint8_t* ElfFile::range(uint64_t offset, uint64_t size) const {
  if (offset > size_ || size > size_ - offset) return nullptr;
  return bytes_ + offset;
}

Status ElfFile::parse() {
  Elf64_Ehdr header;
  memcpy(&header, bytes_, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Error{"is not an ELF file"};
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) return Error{"is not for x86-64"};
  type_ = header.e_type;
  if (type_ != ET_EXEC && type_ != ET_DYN) return Error{"is not a program"};
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) return Error{"has no program headers"};
  const uint8_t* segments = range(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  if (segments == nullptr) return Error{"is truncated"};
  segments_.resize(header.e_phnum);
  memcpy(segments_.data(), segments, segments_.size() * sizeof(Elf64_Phdr));
  // Sections may be missing: a stripped program is still a program.
  const uint8_t* sections = range(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (sections == nullptr || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum) return {};
  sections_.resize(header.e_shnum);
  memcpy(sections_.data(), sections, sections_.size() * sizeof(Elf64_Shdr));
  const Elf64_Shdr& names = sections_[header.e_shstrndx];
  if (range(names.sh_offset, names.sh_size) == nullptr) {
    sections_.clear();
    return {};
  }
  names_offset_ = names.sh_offset;
  names_size_ = names.sh_size;
  return {};
}

std::string_view ElfFile::name_of(const Elf64_Shdr& section) const {
  if (section.sh_name >= names_size_) return {};
  const char* text = reinterpret_cast<const char*>(bytes_ + names_offset_ + section.sh_name);
  return {text, strnlen(text, names_size_ - section.sh_name)};
}

std::optional<ElfFile::Section> ElfFile::section(std::string_view name) const {
  for (const Elf64_Shdr& section : sections_) {
    if (name_of(section) == name) return Section{section.sh_addr, section.sh_size};
  }
  return std::nullopt;
}

std::vector<ElfFile::NamedSection> ElfFile::code_sections() const {
  std::vector<NamedSection> out;
  for (const Elf64_Shdr& section : sections_) {
    bool is_code = section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size != 0;
    if (is_code && at(section.sh_addr, section.sh_size) != nullptr)
      out.push_back({name_of(section), section.sh_addr, section.sh_size});
  }
  return out;
}

std::vector<ElfFile::Symbol> ElfFile::symbols(unsigned type) const {
  std::vector<Symbol> out;
  for (const Elf64_Shdr& table : sections_) {
    bool is_wanted = table.sh_type == SHT_SYMTAB || (table.sh_type == SHT_DYNSYM && type == STT_FUNC);
    if (!is_wanted || table.sh_link >= sections_.size()) continue;
    const uint8_t* symbols = range(table.sh_offset, table.sh_size);
    const Elf64_Shdr& strings = sections_[table.sh_link];
    auto* names = reinterpret_cast<const char*>(range(strings.sh_offset, strings.sh_size));
    if (symbols == nullptr || names == nullptr) continue;
    for (uint64_t at = 0; table.sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, symbols + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != type || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0 || symbol.st_name >= strings.sh_size) continue;
      const char* name = names + symbol.st_name;
      out.push_back({{name, strnlen(name, strings.sh_size - symbol.st_name)}, symbol.st_value, symbol.st_size});
    }
  }
  std::sort(out.begin(), out.end(), [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  return out;
}

std::vector<ElfFile::Symbol> ElfFile::function_slots() const {
  std::vector<Symbol> out;
  for (const Elf64_Shdr& table : sections_) {
    if (table.sh_type != SHT_RELA || table.sh_link >= sections_.size()) continue;
    const Elf64_Shdr& symbols = sections_[table.sh_link];
    if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= sections_.size()) continue;
    const uint8_t* relocations = range(table.sh_offset, table.sh_size);
    const uint8_t* known = range(symbols.sh_offset, symbols.sh_size);
    const Elf64_Shdr& strings = sections_[symbols.sh_link];
    auto* names = reinterpret_cast<const char*>(range(strings.sh_offset, strings.sh_size));
    if (relocations == nullptr || known == nullptr || names == nullptr) continue;
    for (uint64_t at = 0; table.sh_size - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
      Elf64_Rela relocation;
      memcpy(&relocation, relocations + at, sizeof relocation);
      uint64_t type = ELF64_R_TYPE(relocation.r_info), number = ELF64_R_SYM(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (number >= symbols.sh_size / sizeof(Elf64_Sym)) continue;
      Elf64_Sym symbol;
      memcpy(&symbol, known + number * sizeof symbol, sizeof symbol);
      if (symbol.st_name >= strings.sh_size) continue;
      const char* name = names + symbol.st_name;
      out.push_back({{name, strnlen(name, strings.sh_size - symbol.st_name)}, relocation.r_offset, sizeof(uint64_t)});
    }
  }
  return out;
}

const uint8_t* ElfFile::at(uint64_t address, uint64_t size) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    uint64_t into = address - segment.p_vaddr;
    if (into > segment.p_filesz || size > segment.p_filesz - into) continue;
    if (const uint8_t* base = range(segment.p_offset, segment.p_filesz)) return base + into;
  }
  return nullptr;
}

std::string_view ElfFile::string_at(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
      continue;
    const uint8_t* base = range(segment.p_offset, segment.p_filesz);
    if (base == nullptr) continue;
    uint64_t into = address - segment.p_vaddr;
    const char* text = reinterpret_cast<const char*>(base + into);
    size_t length = strnlen(text, segment.p_filesz - into);
    if (length < segment.p_filesz - into) return {text, length};
  }
  return {};
}

std::vector<std::string> ElfFile::dynamic_strings(int64_t tag) const {
  std::vector<std::string> strings;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC || range(segment.p_offset, segment.p_filesz) == nullptr) continue;
    if (segment.p_filesz < sizeof(Elf64_Dyn)) continue;
    std::vector<Elf64_Dyn> entries(segment.p_filesz / sizeof(Elf64_Dyn));
    memcpy(entries.data(), bytes_ + segment.p_offset, entries.size() * sizeof(Elf64_Dyn));
    uint64_t table = 0;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_STRTAB) table = entry.d_un.d_ptr;
    }
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == tag) strings.emplace_back(string_at(table + entry.d_un.d_val));
    }
  }
  return strings;
}

std::string ElfFile::library_path() const {
  for (int64_t tag : {int64_t{DT_RUNPATH}, int64_t{DT_RPATH}}) {
    std::vector<std::string> paths = dynamic_strings(tag);
    if (!paths.empty()) return paths[0];
  }
  return "";
}

ElfFile::Section ElfFile::extent() const {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min(begin, segment.p_vaddr);
    end = std::max(end, segment.p_vaddr + segment.p_memsz);
  }
  return begin < end ? Section{begin, end - begin} : Section{0, 0};
}

std::optional<uint64_t> ElfFile::bias_of(uint64_t at, uint64_t offset) const {
  constexpr uint64_t kInPage = 4095;
  for (const Elf64_Phdr& segment : segments_) {
    bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (is_code && (segment.p_offset & ~kInPage) == offset) return at - (segment.p_vaddr & ~kInPage);
  }
  return std::nullopt;
}

std::string ElfFile::interpreter() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_INTERP) continue;
    auto name = reinterpret_cast<const char*>(range(segment.p_offset, segment.p_filesz));
    if (name != nullptr) return {name, strnlen(name, segment.p_filesz)};
  }
  return "";
}

std::optional<std::string> ElfFile::gnu_build_id() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE || range(segment.p_offset, segment.p_filesz) == nullptr) continue;
    uint64_t at = segment.p_offset, end = at + segment.p_filesz;
    uint64_t align = segment.p_align == 8 ? 8 : 4;
    while (end - at >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr note;
      memcpy(&note, bytes_ + at, sizeof note);
      uint64_t name = at + sizeof note;
      uint64_t data = name + ((note.n_namesz + uint64_t{3}) & ~uint64_t{3});
      uint64_t next = data + ((note.n_descsz + align - 1) & ~(align - 1));
      if (next > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes_ + name, "GNU", 4) == 0) {
        std::string text = "gnu:";
        for (uint64_t i = 0; i < note.n_descsz; i++) text += fmt::format("{:02x}", bytes_[data + i]);
        return text;
      }
      at = next;
    }
  }
  return std::nullopt;
}

std::string ElfFile::build_id() const {
  if (auto id = gnu_build_id()) return *id;
  return fmt::format("xxh64:{:016x}", XXH64(bytes_, size_, 0));
}

}  // namespace ana
