#include "runtime/host/syscalls/patches.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/host/order/stepping.h"
#include "runtime/host/signals/frame.h"
#include "runtime/host/slot.h"

extern "C" void ana_patched_call();

namespace ana {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kReach = 1ull << 31;  // of a jump
constexpr uint64_t kMovBytes = 5, kLongestCmp = 6, kShortReach = 127;
constexpr uint8_t kMov = 0xb8, kJump = 0xe9, kEscape = 0x0f, kSyscall = 0x05, kNop = 0x90;
constexpr uint8_t kLongJump = 0x80, kKind = 0xf0;  // a conditional one, behind kEscape
constexpr uint32_t kMaxNumber = 512;
constexpr uint32_t kMaxSites = 4096, kMaxTargets = 1024, kMaxTexts = 256;

struct Site {
  uint32_t at;         // of the syscall, from the beginning of the text
  uint32_t cmp_bytes;  // 0: the mov before it is replaced
};

struct Text {
  uint64_t begin, end;
  Trampoline* trampolines;
  uint64_t count, bytes;
};

// All under the lock.
SpinLock g_lock;
Text g_texts[kMaxTexts];
Site g_sites[kMaxSites];
uint32_t g_site_count;
uint32_t g_targets[kMaxTargets];  // of jumps, right behind what looks like a syscall
uint32_t g_target_count;

template <class T>
T read_at(const uint8_t* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof(value));
  return value;
}

bool is_syscall(const uint8_t* at) { return at[0] == kEscape && at[1] == kSyscall; }

// cmp $imm32, %rax or %eax, with the constants that tell an error.
uint32_t cmp_bytes(const uint8_t* at) {
  uint32_t wide = at[0] == 0x48;
  if (at[wide] != 0x3d) return 0;
  auto constant = read_at<int32_t>(at + wide + 1);
  return constant == -4096 || constant == -4095 ? wide + 5 : 0;
}

void note_target(const uint8_t* text, uint64_t size, uint64_t next, int32_t distance) {
  uint64_t target = next + static_cast<uint64_t>(static_cast<int64_t>(distance));
  if (target < kSyscallBytes || target >= size || !is_syscall(text + target - kSyscallBytes)) return;
  if (g_target_count < kMaxTargets) g_targets[g_target_count] = static_cast<uint32_t>(target);
  ++g_target_count;
}

void note_site(const uint8_t* text, uint64_t at) {
  Site site{static_cast<uint32_t>(at), 0};
  auto number = at >= kMovBytes ? read_at<uint32_t>(text + at - kMovBytes + 1) : kMaxNumber;
  if (at >= kMovBytes && text[at - kMovBytes] == kMov && number < kMaxNumber) {
    if (needs_context(number)) return;
  } else {
    site.cmp_bytes = cmp_bytes(text + at + kSyscallBytes);
    if (!site.cmp_bytes) return;
  }
  if (g_site_count < kMaxSites) g_sites[g_site_count++] = site;
}

void look_for_site(const uint8_t* text, uint64_t size, uint64_t i) {
  if (size - i >= kSyscallBytes + kLongestCmp && is_syscall(text + i)) note_site(text, i);
}

void look_for_jump(const uint8_t* text, uint64_t size, uint64_t i) {
  uint64_t left = size - i;
  if (text[i] == kJump) {
    if (left >= 5) note_target(text, size, i + 5, read_at<int32_t>(text + i + 1));
  } else if (text[i] == kEscape && left >= 6 && (text[i + 1] & kKind) == kLongJump) {
    note_target(text, size, i + 6, read_at<int32_t>(text + i + 2));
  }
}

constexpr uint64_t kOnes = 0x0101010101010101ull;  // a byte times this is a word of it

// The highest bit of each byte of the word that is `byte`, and perhaps of others.
uint64_t bytes_like(uint64_t word, uint8_t byte) {
  uint64_t zero = word ^ byte * kOnes;
  return (zero - kOnes) & ~zero & (kOnes << 7);
}

// Those of `first` behind which there is one of `second`, or the end of the word.
uint64_t pairs(uint64_t first, uint64_t second) { return first & (second >> 8 | 1ull << 63); }

uint64_t maybe_sites(uint64_t word) { return pairs(bytes_like(word, kEscape), bytes_like(word, kSyscall)); }

uint64_t maybe_jumps(uint64_t word) {
  return bytes_like(word, kJump) | pairs(bytes_like(word, kEscape), bytes_like(word & kKind * kOnes, kLongJump));
}

// At every byte, whether an instruction begins there or not: so nothing is missed.
template <class Maybe, class Look>
void look_through(const uint8_t* text, uint64_t size, Maybe maybe, Look look) {
  uint64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t found = maybe(read_at<uint64_t>(text + i));
    for (; found; found &= found - 1) look(text, size, i + static_cast<uint64_t>(__builtin_ctzll(found)) / 8);
  }
  for (; i < size; ++i) look(text, size, i);
}

bool is_short_jump(uint8_t opcode) { return (opcode & 0xf0) == 0x70 || opcode == 0xeb || (opcode & 0xfc) == 0xe0; }

bool is_target(const uint8_t* text, uint64_t size, uint64_t at) {
  if (g_target_count > kMaxTargets) return true;
  for (uint32_t i = 0; i < g_target_count; ++i)
    if (g_targets[i] == at) return true;
  uint64_t from = at > kShortReach + 2 ? at - kShortReach - 2 : 0, to = at + kShortReach;
  for (uint64_t i = from; i < to && i + 1 < size; ++i)
    if (is_short_jump(text[i]) && i + 2 + static_cast<uint64_t>(static_cast<int8_t>(text[i + 1])) == at) return true;
  return false;
}

void find_sites(const uint8_t* text, uint64_t size) {
  g_site_count = g_target_count = 0;
  look_through(text, size, maybe_sites, look_for_site);
  // Jumps matter only to some of them, and most libraries have no system calls at all.
  bool any_cmp = false;
  for (uint32_t i = 0; i < g_site_count; ++i) any_cmp |= g_sites[i].cmp_bytes != 0;
  if (any_cmp) look_through(text, size, maybe_jumps, look_for_jump);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g_site_count; ++i)
    if (!g_sites[i].cmp_bytes || !is_target(text, size, g_sites[i].at + kSyscallBytes)) g_sites[kept++] = g_sites[i];
  g_site_count = kept;
}

static_assert(layout::kHost + layout::kHostBytes + layout::kPatchesBytes <= kReach, "out of reach of programs below it");

// Room for trampolines that the code can reach and that nothing else uses (layout.h), or 0.
uint64_t area_near(uint64_t at) {
  using namespace layout;
  if (at < kReach) return kHost + kHostBytes;
  if (at >= kProgram && at < kProgram + kReach) return kProgram - kPatchesBytes;
  if (at >= kInterpreter && at < kInterpreter + kReach) return kInterpreter - kPatchesBytes;
  if (at < kMappings || at >= kMappings + kMaxSlots * kMappingsStride) return 0;
  return kMappings + (at - kMappings) / kMappingsStride * kMappingsStride - kPatchesBytes;
}

Trampoline* map_trampolines(const Text& text) {
  uint64_t area = area_near(text.begin);
  if (!area || (text.end > area && text.end - area >= kReach)) return nullptr;
  for (uint64_t at = area; at + text.bytes <= area + layout::kPatchesBytes; at += kPage) {
    long r = raw(SYS_mmap, at, text.bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (r == static_cast<long>(at)) return reinterpret_cast<Trampoline*>(at);
  }
  return nullptr;
}

// Writes instructions one after the other.
struct Assembler {
  uint8_t* at;

  template <class... Bytes>
  void code(Bytes... bytes) {
    ((*at++ = static_cast<uint8_t>(bytes)), ...);
  }
  void copy(const void* from, uint64_t bytes) {
    memcpy(at, from, bytes);
    at += bytes;
  }
  void word(uint64_t value) { copy(&value, 4); }
  // Counted from the end of the instruction, of which this is the last part.
  void relative(uint64_t to) { word(to - (reinterpret_cast<uint64_t>(at) + 4)); }
};

void make_trampoline(Trampoline& t, const uint8_t* syscall, uint32_t cmp) {
  uint64_t after = reinterpret_cast<uint64_t>(syscall) + kSyscallBytes;
  Assembler to{t.code};
  if (!cmp) to.copy(syscall - kMovBytes, kMovBytes);
  to.code(0x48, 0x8d, 0x0d);  // lea t(%rip), %rcx
  to.relative(reinterpret_cast<uint64_t>(&t));
  to.code(0x41, 0xbb);        // mov $ana_patched_call, %r11d
  to.word(reinterpret_cast<uint64_t>(ana_patched_call));
  to.code(0x41, 0xff, 0xe3);  // jmp *%r11
  t.plain = reinterpret_cast<uint64_t>(to.at);
  to.code(kEscape, kSyscall);
  t.after = after;
  t.resume = cmp ? reinterpret_cast<uint64_t>(to.at) : after;
  to.copy(syscall + kSyscallBytes, cmp);
  to.code(kJump);
  to.relative(after + cmp);
}

void patch(uint8_t* syscall, uint32_t cmp, const Trampoline& t) {
  Assembler to{cmp ? syscall : syscall - kMovBytes};
  to.code(kJump);
  to.relative(reinterpret_cast<uint64_t>(t.code));
  while (cmp && to.at < syscall + kSyscallBytes + cmp) to.code(kNop);
}

// The trampolines first: a system that forbids them shall not find the code changed.
bool patch_sites(uint8_t* text, Text& entry, int protection) {
  entry.bytes = align_up(g_site_count * sizeof(Trampoline), kPage);
  entry.trampolines = map_trampolines(entry);
  if (!entry.trampolines) return false;
  for (; entry.count < g_site_count; ++entry.count) {
    const Site& site = g_sites[entry.count];
    make_trampoline(entry.trampolines[entry.count], text + site.at, site.cmp_bytes);
  }
  uint64_t first = align_down(entry.begin, kPage), length = entry.end - first;
  if (is_error(raw(SYS_mprotect, entry.trampolines, entry.bytes, PROT_READ | PROT_EXEC)) ||
      is_error(raw(SYS_mprotect, first, length, PROT_READ | PROT_WRITE)))
    return false;
  for (uint64_t i = 0; i < entry.count; ++i)
    patch(text + g_sites[i].at, g_sites[i].cmp_bytes, entry.trampolines[i]);
  if (long r = raw(SYS_mprotect, first, length, protection); is_error(r))
    fatal(ReportKind::kCannotStart, "this system does not let code be changed; record with --no-patch", -r);
  return true;
}

void drop(Text& text) {
  if (text.trampolines) raw(SYS_munmap, text.trampolines, text.bytes);
  text = {};
}

}  // namespace

void patch_text(uint64_t begin, uint64_t end, int protection) {
  if (g_session->no_patch || stepping() || end - begin >= kReach) return;
  auto* text = reinterpret_cast<uint8_t*>(begin);
  g_lock.lock();
  find_sites(text, end - begin);
  Text* entry = nullptr;
  for (Text& t : g_texts)
    if (!t.end) entry = &t;
  if (entry && g_site_count) {
    *entry = {begin, end, nullptr, 0, 0};
    if (!patch_sites(text, *entry, protection)) drop(*entry);
  }
  g_lock.unlock();
}

void forget_text(uint64_t begin, uint64_t end) {
  for (Text& text : g_texts) {
    if (begin >= text.end || end <= text.begin) continue;
    g_lock.lock();
    drop(text);
    g_lock.unlock();
  }
}

uint64_t continuation(uint64_t pc) {
  g_lock.lock();
  uint64_t found = pc;
  for (const Text& text : g_texts) {
    if (pc < text.begin || pc >= text.end) continue;
    for (uint64_t i = 0; i < text.count; ++i)
      if (text.trampolines[i].after == pc) found = text.trampolines[i].resume;
  }
  g_lock.unlock();
  return found;
}

}  // namespace ana
