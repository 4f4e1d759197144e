#include "runtime/host/elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/host/slot.h"

namespace ana {
namespace {

constexpr uint64_t kPage = 4096;
constexpr int kMaxHeaders = 64;

int protection(uint32_t flags) {
  return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) | (flags & PF_X ? PROT_EXEC : 0);
}

void map_segment(long fd, const Elf64_Phdr& segment, uint64_t base, const char* path) {
  uint64_t at = base + segment.p_vaddr, first = align_down(at, kPage);
  uint64_t file_end = at + segment.p_filesz, end = at + segment.p_memsz;
  int prot = protection(segment.p_flags);
  if (segment.p_filesz) {
    long r = raw(SYS_mmap, first, file_end - first, prot, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
                 align_down(segment.p_offset, kPage));
    if (r != static_cast<long>(first)) fatal(ReportKind::kCannotStart, path, -r);
  }
  if (end <= file_end) return;
  uint64_t zero_from = segment.p_filesz ? align_up(file_end, kPage) : first;
  if (segment.p_filesz && (prot & PROT_WRITE)) memset(reinterpret_cast<void*>(file_end), 0, zero_from - file_end);
  if (end > zero_from) {
    long r = raw(SYS_mmap, zero_from, end - zero_from, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (r != static_cast<long>(zero_from)) fatal(ReportKind::kCannotStart, path, -r);
  }
}

}  // namespace

ElfImage map_elf_image(const char* path, uint64_t base) {
  long fd = raw(SYS_open, path, O_RDONLY | O_CLOEXEC);
  if (is_error(fd)) fatal(ReportKind::kCannotStart, path, -fd);
  Elf64_Ehdr header{};
  raw(SYS_pread64, fd, &header, sizeof(header), 0);
  bool usable = !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                header.e_machine == EM_X86_64 && header.e_phnum <= kMaxHeaders &&
                (header.e_type == ET_DYN || header.e_type == ET_EXEC);
  if (!usable) fatal(ReportKind::kCannotStart, path, ENOEXEC);

  Elf64_Phdr segments[kMaxHeaders];
  raw(SYS_pread64, fd, segments, header.e_phnum * sizeof(Elf64_Phdr), header.e_phoff);
  ElfImage image{};
  image.base = header.e_type == ET_EXEC ? 0 : base;
  image.begin = ~0ull;
  image.entry = image.base + header.e_entry;
  image.header_count = header.e_phnum;
  for (int i = 0; i < header.e_phnum; ++i) {
    const Elf64_Phdr& s = segments[i];
    if (s.p_type == PT_INTERP && s.p_filesz < sizeof(image.interpreter))
      raw(SYS_pread64, fd, image.interpreter, s.p_filesz, s.p_offset);
    if (s.p_type != PT_LOAD) continue;
    map_segment(fd, s, image.base, path);
    uint64_t first = image.base + align_down(s.p_vaddr, kPage), end = image.base + align_up(s.p_vaddr + s.p_memsz, kPage);
    if (s.p_flags & PF_X) {
      image.text_begin = image.base + s.p_vaddr;
      image.text_end = image.text_begin + s.p_filesz;
    }
    if (first < image.begin) image.begin = first;
    if (end > image.end) image.end = end;
    if (header.e_phoff >= s.p_offset && header.e_phoff < s.p_offset + s.p_filesz)
      image.headers = image.base + s.p_vaddr + header.e_phoff - s.p_offset;
  }
  raw(SYS_close, fd);
  return image;
}

}  // namespace ana
