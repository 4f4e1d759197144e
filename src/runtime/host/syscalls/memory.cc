// Address space: the same addresses in record and replay. Each slot takes its mappings from a region of its own, in the
// order of its own calls, so that no order between threads is needed.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/host/order/objects.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/start.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/patches.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kElfMagic = 0x464c457f;

uint64_t g_break = layout::kBreak;
uint64_t g_next_large = layout::kLargeMappings;

uint64_t place_large(uint64_t bytes) {
  KnownGuard ordered(WellKnown::kThreads);
  uint64_t at = g_next_large;
  g_next_large += align_up(bytes, 1 << 20);
  return at;
}

uint64_t place(Slot& slot, uint64_t bytes) {
  bytes = align_up(bytes, kPage);
  for (auto& hole : slot.free_mapping) {
    if (hole.bytes < bytes) continue;
    uint64_t at = hole.at;
    hole.at += bytes;
    hole.bytes -= bytes;
    return at;
  }
  uint64_t end = layout::kMappings + (slot.id + 1) * layout::kMappingsStride - layout::kPatchesBytes;
  if (bytes > layout::kMappingsStride / 2 || slot.next_mapping + bytes > end) return place_large(bytes);
  uint64_t at = slot.next_mapping;
  slot.next_mapping += align_up(bytes, 64 * 1024);
  return at;
}

// What a thread unmaps of its own region it gets again. The smallest hole makes room for a larger one.
void remember_hole(Slot& slot, uint64_t at, uint64_t bytes) {
  uint64_t begin = layout::kMappings + slot.id * layout::kMappingsStride;
  if (at < begin || at + bytes > slot.next_mapping) return;
  auto* smallest = &slot.free_mapping[0];
  for (auto& hole : slot.free_mapping)
    if (hole.bytes < smallest->bytes) smallest = &hole;
  if (smallest->bytes < bytes) *smallest = {at, bytes};
}

// What succeeds is done again in replay. What fails is logged: it may be for a limit that is another one there.
template <class Map>
long with_failures(uint32_t op, Map map) {
  Slot& slot = self();
  if (replaying() && next_is(slot, op)) return get_value(slot, op);
  long result = map();
  if (recording() && is_error(result)) put_value(slot, op, result);
  return result;
}

long mapped_elf(long result, const char* path, const struct stat& info, const long* args) {
  if (is_error(result)) return result;
  auto at = static_cast<uint64_t>(result), offset = static_cast<uint64_t>(args[5]);
  uint64_t in_file = static_cast<uint64_t>(info.st_size) > offset ? info.st_size - offset : 0;
  note_elf_mapping(path, at, args[1]);
  bool followed = (args[2] & PROT_EXEC) && translated_install_library(path, at, static_cast<uint64_t>(args[1]));
  if ((args[2] & PROT_EXEC) && !followed)
    patch_text(at, at + (static_cast<uint64_t>(args[1]) < in_file ? args[1] : in_file), static_cast<int>(args[2]));
  return result;
}

// With where it goes, for those who read the trace: most mappings are done again, and their addresses are in no log.
void put_elf_mapping(Slot& slot, const char* path, const struct stat& info, const ElfMapping& mapping) {
  char bytes[kMaxPath + sizeof(ElfMapping)];
  uint64_t name = length(path) + 1;
  memcpy(bytes, path, name);
  memcpy(bytes + name, &mapping, sizeof(mapping));
  put_value(slot, kOpElfMapping, info.st_size, bytes, static_cast<uint32_t>(name + sizeof(mapping)));
}

// Programs and libraries stay mappings of their files: debuggers want them, and they do not change.
long map_elf(uint64_t at, long* args) {
  Slot& slot = self();
  char path[kMaxPath];
  struct stat info;
  if (recording()) {
    path_of(args[4], path, sizeof(path));
    raw(SYS_fstat, args[4], &info);
    put_elf_mapping(slot, path, info, {at, static_cast<uint64_t>(args[1]), static_cast<uint64_t>(args[5]),
                                       static_cast<uint64_t>(args[2])});
    return mapped_elf(raw(SYS_mmap, at, args[1], args[2], args[3] | MAP_FIXED, args[4], args[5]), path, info, args);
  }
  int64_t size = get_value(slot, kOpElfMapping, path, sizeof(path));
  long fd = raw(SYS_open, path, O_RDONLY);
  if (is_error(fd) || is_error(raw(SYS_fstat, fd, &info)) || info.st_size != size) fatal(ReportKind::kFileChanged, path);
  long result = raw(SYS_mmap, at, args[1], args[2], args[3] | MAP_FIXED, fd, args[5]);
  raw(SYS_close, fd);
  return mapped_elf(result, path, info, args);
}

constexpr char kSharedDirectory[] = "/dev/shm/", kGone[] = " (deleted)";

bool ends_with(const char* text, const char* end) {
  size_t n = length(text), m = length(end);
  return n >= m && equal(text + n - m, end);
}

// What others write into memory that they share with the program is in no log: the tool warns of it at the end.
void note_shared(const long* args) {
  if (replaying() || (args[3] & MAP_TYPE) == MAP_PRIVATE) return;
  g_session->shared_mappings = 1;
  if (args[3] & MAP_ANONYMOUS) return;
  char path[kMaxPath];
  path_of(args[4], path, sizeof(path));
  if (starts_with(path, kSharedDirectory) && !ends_with(path, kGone)) g_session->named_mappings = 1;
}

// Other files: what the mapping shows at this moment is logged; replay shows it again in anonymous memory.
long map_file(uint64_t at, long* args) {
  Slot& slot = self();
  uint64_t bytes = align_up(args[1], kPage);  // the rest of the last page is mapped as well
  if (recording()) {
    struct stat info {};
    raw(SYS_fstat, args[4], &info);
    long result = raw(SYS_mmap, at, bytes, args[2], args[3] | MAP_FIXED, args[4], args[5]);
    uint64_t in_file = static_cast<uint64_t>(info.st_size) > static_cast<uint64_t>(args[5]) ? info.st_size - args[5] : 0;
    if (bytes < in_file) in_file = bytes;
    if (is_error(result) || !S_ISREG(info.st_mode)) in_file = 0;
    if (in_file >= 1ull << 31) fatal(ReportKind::kUnsupportedFeature, "mapping 2 GiB of a file or more");
    bool readable = args[2] & PROT_READ;
    if (in_file && !readable) raw(SYS_mprotect, at, bytes, PROT_READ);
    put_value(slot, kOpFileMapping, result, reinterpret_cast<void*>(at), static_cast<uint32_t>(in_file));
    if (in_file && !readable) raw(SYS_mprotect, at, bytes, args[2]);
    return result;
  }
  const ScheduledValue* value = next_value(slot, kOpFileMapping);
  if (is_error(value->result)) return value->result;
  raw(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memcpy(reinterpret_cast<void*>(at), value_bytes(value), value->length);
  if (args[2] != (PROT_READ | PROT_WRITE)) raw(SYS_mprotect, at, bytes, args[2]);
  return static_cast<long>(at);
}

bool is_elf(const long* args) {
  if (replaying()) return peek_op(self()) == kOpElfMapping;
  uint32_t magic = 0;
  raw(SYS_pread64, args[4], &magic, sizeof(magic), 0);
  return magic == kElfMagic && (args[3] & MAP_PRIVATE);
}

}  // namespace

long special_brk(long, long* args) {
  auto wanted = static_cast<uint64_t>(args[0]);
  if (wanted >= layout::kBreak && wanted < layout::kBreak + layout::kBreakBytes) g_break = wanted;
  return static_cast<long>(g_break);
}

long special_mmap(long, long* args) {
  if (!args[1]) return -EINVAL;
  if (static_cast<uint64_t>(args[1]) > layout::kAboveAll) return -ENOMEM;
  Slot& slot = self();
  bool fixed = args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE);
  uint64_t at = fixed ? static_cast<uint64_t>(args[0]) : place(slot, args[1]);
  note_shared(args);
  if (args[3] & MAP_ANONYMOUS) {
    return with_failures(SYS_mmap, [&] { return raw(SYS_mmap, at, args[1], args[2], args[3] | MAP_FIXED, -1, 0); });
  }
  return is_elf(args) ? map_elf(at, args) : map_file(at, args);
}

long special_munmap(long, long* args) {
  long result = raw(SYS_munmap, args[0], args[1]);
  if (is_error(result)) return result;
  remember_hole(self(), args[0], align_up(args[1], kPage));
  forget_text(args[0], args[0] + align_up(args[1], kPage));
  translated_forget(args[0], args[0] + align_up(args[1], kPage));
  return result;
}

long special_mremap(long, long* args) {
  uint64_t old_bytes = align_up(args[1], kPage), new_bytes = align_up(args[2], kPage);
  if (args[3] & MREMAP_FIXED) return raw(SYS_mremap, args[0], args[1], args[2], args[3], args[4]);
  if (new_bytes <= old_bytes) return raw(SYS_mremap, args[0], args[1], args[2], 0, 0);
  if (!(args[3] & MREMAP_MAYMOVE)) return -ENOMEM;  // whether there is room behind must not vary
  uint64_t to = place(self(), new_bytes);
  long result = with_failures(SYS_mremap, [&] {
    return raw(SYS_mremap, args[0], args[1], args[2], MREMAP_MAYMOVE | MREMAP_FIXED, to);
  });
  if (!is_error(result)) remember_hole(self(), args[0], old_bytes);
  return result;
}

// The kernel counts one node less than it is told.
long special_get_mempolicy(long number, long* args) {
  uint64_t bytes = args[2] ? (static_cast<uint64_t>(args[2]) + 62) / 64 * 8 : 0;
  return logged_call(rows::log(rows::fixed(0, 4), rows::fixed(1, static_cast<uint16_t>(bytes))), number, args);
}

}  // namespace ana
