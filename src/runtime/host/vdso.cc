#include "runtime/host/vdso.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/host/slot.h"

namespace ana {
namespace {

constexpr uint64_t kImageBytes = 8192;

using ClockFunction = long(long, long);

uint64_t g_image;
ClockFunction *g_clock_gettime, *g_gettimeofday, *g_time;

template <class T>
const T* in_image(uint64_t offset) {
  return reinterpret_cast<const T*>(g_image + offset);
}

ClockFunction* find(const char* name, const Elf64_Shdr& symbols, const Elf64_Shdr& names) {
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
    auto* symbol = in_image<Elf64_Sym>(symbols.sh_offset + at);
    if (symbol->st_shndx != SHN_UNDEF && equal(in_image<char>(names.sh_offset + symbol->st_name), name))
      return reinterpret_cast<ClockFunction*>(g_image + symbol->st_value);
  }
  return nullptr;
}

}  // namespace

void vdso_init(uint64_t image) {
  if (!image) return;
  if (replaying()) {
    raw(SYS_munmap, image, kImageBytes);
    return;
  }
  g_image = image;
  auto* header = in_image<Elf64_Ehdr>(0);
  if (header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) > kImageBytes) return;
  auto* sections = in_image<Elf64_Shdr>(header->e_shoff);
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr& names = sections[sections[i].sh_link];
    g_clock_gettime = find("__vdso_clock_gettime", sections[i], names);
    g_gettimeofday = find("__vdso_gettimeofday", sections[i], names);
    g_time = find("__vdso_time", sections[i], names);
  }
}

long read_clock(long number, long a, long b, long c, long d, long e, long f) {
  ClockFunction* function = number == SYS_clock_gettime ? g_clock_gettime
                            : number == SYS_gettimeofday ? g_gettimeofday
                                                         : g_time;
  return function ? function(a, b) : ana_raw_syscall(number, a, b, c, d, e, f);
}

bool is_vdso(uint64_t pc) { return pc - g_image < kImageBytes; }

}  // namespace ana
