#include "runtime/host/order/translated.h"

#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/look.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/stepping.h"
#include "runtime/host/stream.h"
#include "trace/order_entries.h"
#include "trace/looks.h"
#include "trace/schedule.h"

namespace ana {

const Translation* g_translation;

namespace {

constexpr uint64_t kPage = 4096;

uint64_t g_cleared;  // how many times memory has lost its past
uint64_t g_next_told[kMaxSlots];  // of OrderEntries; each by its slot's threads

uint64_t below(const Slot& slot, int32_t offset) {
  return reinterpret_cast<uint64_t>(slot.shared) + static_cast<uint64_t>(int64_t{offset});
}

// Code that has a copy. Written by who maps or unmaps it; others come to it only afterwards.
struct Followed {
  const Translation* translation;
  bool has_copy;    // in memory, which it keeps
  bool is_there;    // the code itself
};
Followed g_followed[kMostTranslations];
uint32_t g_followed_count;

// Where the address is in a copy; null if it is in none.
const Translation* copy_with(uint64_t pc) {
  for (uint32_t i = 0; i < g_followed_count; ++i) {
    const Translation* t = g_followed[i].translation;
    if (__atomic_load_n(&g_followed[i].has_copy, __ATOMIC_ACQUIRE) && pc - t->at < t->bytes) return t;
  }
  return nullptr;
}

// Whose own code it is in.
const Translation* code_with(uint64_t pc) {
  for (uint32_t i = 0; i < g_followed_count; ++i) {
    const Translation* t = g_followed[i].translation;
    if (__atomic_load_n(&g_followed[i].is_there, __ATOMIC_ACQUIRE) && pc - t->begin < t->end - t->begin) return t;
  }
  return nullptr;
}

void demand(long result) {
  if (is_error(result)) fatal(ReportKind::kCannotStart, "no memory for a copy of the program's code", -result);
}

void patch(const TextPatch& patch, const Translation& of) {
  uint64_t first = align_down(patch.address, kPage), bytes = align_up(patch.address + patch.bytes, kPage) - first;
  demand(raw(SYS_mprotect, first, bytes, PROT_READ | PROT_WRITE));
  memcpy(reinterpret_cast<void*>(patch.address), reinterpret_cast<const char*>(&of) + patch.contents,
         patch.bytes);
  demand(raw(SYS_mprotect, first, bytes, PROT_READ | PROT_EXEC));
}

// In the schedule: the copy is not there yet when the first slot is made.
const LookTable& looks() {
  auto* copy = reinterpret_cast<const char*>(g_translation) + g_translation->contents;
  return *reinterpret_cast<const LookTable*>(copy + g_translation->origins + g_translation->origin_count * sizeof(Origin));
}

// Nothing has been noted; if calls are, the first stands for none.
void empty_buffer(Slot& slot) {
  slot.shared->next_reference = kGsReferences;
  if (!looks().count) return;
  *reinterpret_cast<NotedCall*>(reinterpret_cast<char*>(slot.shared) + kGsCalls) = {~0ull, 0};
  slot.shared->next_reference = kGsCalls + sizeof(NotedCall);
}

// All upper bits have been used: what was noted with them is forgotten. 0 is that of tables never used.
void new_tables(Slot& slot) {
  raw(SYS_madvise, below(slot, kGsSeen), kGsLinesTold - kGsSeen, MADV_DONTNEED);
  slot.shared->present = slot.shared->present_atomic = 1ull << kSeenShift;
}

// The lines whose accesses are told; what begins in the line before may reach into one.
void mark_lines(Slot& slot) {
  auto* lines = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(g_translation) + g_translation->lines);
  auto* told = reinterpret_cast<uint8_t*>(below(slot, kGsLinesTold));
  for (uint64_t i = 0; i < g_translation->line_count; ++i)
    told[lines[i] % kToldLines] = told[(lines[i] - 1) % kToldLines] = 1;
}

// How many counted events are left out from now on.
void set_skips(Slot& slot, const OrderEntries& entries) {
  uint64_t next = g_next_told[slot.id];
  if (!entries) slot.shared->skips = 0;
  else slot.shared->skips = next < entries.count ? skipped_before(entries.first[next]) : INT64_MAX;
}

// A counted event that is told. Its instruction comes again if what it ends makes everything be told anew.
Turn due_turn(Slot& slot) {
  OrderEntries entries = order_entries(*g_translation, slot.id);
  if (!entries) {
    slot.shared->skips = 0;
    return {.counted = true, .comes_again = false};
  }
  bool ends = ends_epoch(entries.first[g_next_told[slot.id]++]);
  set_skips(slot, entries);
  return {.counted = true, .ends_epoch = ends, .comes_again = ends};
}

// Something else may have been put there since: what libraries call is not noted.
bool is_there(const NotedCall& call) {
  uint64_t now = 0;
  return ana_look(reinterpret_cast<const void*>(call.place), &now, sizeof(now)) && now == call.return_address;
}

// A look, and the calls whose places are not below the stack.
void tell_look(Slot& slot, const Look& look, uint64_t stack) {
  uint64_t value = 0;
  bool known = look.bytes <= sizeof(value) && ana_look(reinterpret_cast<const void*>(look.address), &value, look.bytes);
  put_look(slot, kToldLook, look.address, look.site, value, known);
  auto* base = reinterpret_cast<const char*>(slot.shared);
  auto* first = reinterpret_cast<const NotedCall*>(base + kGsCalls) + 1;
  auto* call = reinterpret_cast<const NotedCall*>(base + slot.shared->next_reference);
  while (call-- > first)
    if (call->place >= stack && is_there(*call)) put_look(slot, kToldCall, 0, call->return_address, 0, false);
  put_look(slot, kToldLooked, 0, 0, 0, false);
}

// Before an instruction of which some executions are looked at.
void look_at_instruction(uint64_t pc, const uint64_t* registers) {
  Slot& slot = self();
  for (uint64_t i = 0; i < looks().count; ++i) {
    const Look& look = looks().look[i];
    if (look.site == pc && look.slot == slot.id && look.count == slot.shared->count &&
        (range_of(look.operand, registers).first & ~ANA_RANGE_WRITE) == look.address)
      tell_look(slot, look, registers[REG_RSP]);
  }
}

// The program has come to its own code, at a place without a jump; or to an instruction that could not be translated.
void on_breakpoint(int, siginfo_t*, void* context) {
  auto& pc = reinterpret_cast<uint64_t&>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  uint64_t at = pc - 1, to = translated_code(at);
  if (to != at) {
    pc = to;
    return;
  }
  uint64_t where = original_code(at);
  bool in_copy = copy_with(at);
  if (in_copy && looking() && *reinterpret_cast<const uint8_t*>(pc) == kLookMark)
    return look_at_instruction(where, reinterpret_cast<uint64_t*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs));
  if (in_copy && !looking() && reinterpret_cast<const uint8_t*>(pc)[1] == kNewTablesMark)
    return new_tables(self());
  fatal(ReportKind::kUnsupportedFeature, "an instruction whose references cannot be told", where, 0, where);
}

}  // namespace

void translated_init() {
  auto* header = reinterpret_cast<const ScheduleHeader*>(layout::kSchedule);
  if (!replaying() || !header->translation) return;
  g_translation = reinterpret_cast<const Translation*>(reinterpret_cast<const char*>(header) + header->translation);
  for (const Translation* t = g_translation; t && g_followed_count < kMostTranslations; t = next_of(*t))
    g_followed[g_followed_count++].translation = t;
  install_handler(SIGTRAP, on_breakpoint);
}

static void put_copy(const Translation& t) {
  demand(raw(SYS_mmap, t.at, t.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  memcpy(reinterpret_cast<void*>(t.at), reinterpret_cast<const char*>(&t) + t.contents, t.bytes);
  demand(raw(SYS_mprotect, t.at, t.bytes, PROT_READ | PROT_EXEC));
}

// Pairs with the acquires of copy_with() and code_with(), by handlers of signals of other threads.
static void install(Followed& followed) {
  const Translation& t = *followed.translation;
  if (!followed.has_copy) put_copy(t);
  __atomic_store_n(&followed.has_copy, true, __ATOMIC_RELEASE);
  auto* patches = reinterpret_cast<const TextPatch*>(reinterpret_cast<const char*>(&t) + t.patches);
  for (uint64_t i = 0; i < t.patch_count; ++i) patch(patches[i], t);
  __atomic_store_n(&followed.is_there, true, __ATOMIC_RELEASE);
}

bool translated_install() {
  for (uint32_t i = 0; i < g_followed_count; ++i) {
    if (library_of(*g_followed[i].translation)) continue;
    install(g_followed[i]);
    return true;
  }
  return false;
}

bool translated_install_library(const char* path, uint64_t at, uint64_t bytes) {
  for (uint32_t i = 0; i < g_followed_count; ++i) {
    const Translation& t = *g_followed[i].translation;
    const char* library = library_of(t);
    if (!library || t.begin < at || t.end > at + bytes || !equal(library, path)) continue;
    install(g_followed[i]);
    return true;
  }
  return false;
}

void translated_forget(uint64_t begin, uint64_t end) {
  for (uint32_t i = 0; i < g_followed_count; ++i) {
    const Translation& t = *g_followed[i].translation;
    if (t.begin < end && begin < t.end) __atomic_store_n(&g_followed[i].is_there, false, __ATOMIC_RELEASE);
  }
}

bool translated_map(Slot& slot) {
  if (!translating()) return true;
  uint64_t at = reinterpret_cast<uint64_t>(slot.shared);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
  auto map = [&](uint64_t from, uint64_t bytes) {
    return !is_error(raw(SYS_mmap, from, bytes, PROT_READ | PROT_WRITE, flags, -1, 0));
  };
  bool mapped = looking() ? map(at + kGsCalls, kCallsBytes)
                          : map(at + kGsReferences, kReferencesBytes) && map(below(slot, kGsSeen), -kGsSeen);
  if (!mapped) return false;
  slot.shared->present = slot.shared->present_atomic = 1ull << kSeenShift;
  set_skips(slot, order_entries(*g_translation, slot.id));
  empty_buffer(slot);
  if (!looking()) mark_lines(slot);
  return true;
}

bool looking() { return translating() && looks().count; }

// The access comes next, of code that tells each by itself or of a library function.
void look_at_access(Slot& slot, const AnaRange& range, uint64_t site) {
  for (uint64_t i = 0; i < looks().count; ++i) {
    const Look& look = looks().look[i];
    uint64_t first = range.first & ~ANA_RANGE_WRITE;
    if (look.site == site && look.slot == slot.id && look.count == slot.shared->count && first <= look.address &&
        look.address <= range.last)
      tell_look(slot, look, 0);
  }
}

void tell_noted(Slot& slot) {
  if (!translating() || looking()) return;
  uint64_t bytes = slot.shared->next_reference - kGsReferences;
  if (!bytes) return;
  slot.shared->next_reference = kGsReferences;
  put_run(slot, reinterpret_cast<const CompactReference*>(reinterpret_cast<char*>(slot.shared) + kGsReferences),
          bytes / sizeof(CompactReference));
}

void end_told_epoch(Slot& slot) {
  if (!translating() || looking()) return;
  slot.shared->present += 1ull << kSeenShift;
  slot.shared->present_atomic += 1ull << kSeenShift;
  if (!slot.shared->present || !slot.shared->present_atomic) new_tables(slot);
}

// Some lines; of atomic accesses all, as those are looked up by their places.
static void forget_lines(Slot& slot, uint64_t first, uint64_t end) {
  for (uint64_t line = first; line < end; ++line) {
    uint64_t entry = line % kSeenLines;
    for (int write = 0; write < 2; ++write) {
      auto* table = reinterpret_cast<uint64_t*>(below(slot, seen_lines(write != 0)));
      if (table[entry]) table[entry] = 0;
      if (entry == 0 && table[kSeenLines]) table[kSeenLines] = 0;  // noted with the line before it
    }
  }
  slot.shared->present_atomic += 1ull << kSeenShift;
  if (!slot.shared->present_atomic) new_tables(slot);
}

Turn turn_of_check(Slot& slot) {
  if (!translating() || looking()) return {};
  if (slot.shared->quiet) {
    slot.shared->quiet = 0;
    return {.told = false};
  }
  return slot.shared->skips < 0 ? due_turn(slot) : Turn{};
}

Turn next_turn(Slot& slot) {
  if (!translating() || looking()) return {};
  return --slot.shared->skips < 0 ? due_turn(slot) : Turn{.told = false, .counted = true};
}

void settle_noted(Slot& slot) {
  if (!translating() || looking()) return;
  tell_noted(slot);
  // What cleared memory has let this thread through after it, if the order of the recording says that it came after it.
  uint64_t cleared = __atomic_load_n(&g_cleared, __ATOMIC_RELAXED);
  if (slot.cleared_seen == cleared) return;
  slot.cleared_seen = cleared;
  end_told_epoch(slot);
}

void note_cleared(Slot& slot, uint64_t address, uint64_t bytes) {
  constexpr uint64_t kMostBytes = 64 << kSeenLineShift;
  if (!translating() || looking()) return;
  uint64_t cleared = __atomic_add_fetch(&g_cleared, 1, __ATOMIC_RELAXED);
  if (!g_translation->by_lines || bytes > kMostBytes) return end_told_epoch(slot);
  // Others have cleared nothing since that this thread has come after, or it would begin an epoch now.
  if (slot.cleared_seen == cleared - 1) slot.cleared_seen = cleared;
  forget_lines(slot, (address + (1 << kSeenLineShift) - 1) >> kSeenLineShift, (address + bytes) >> kSeenLineShift);
}

bool translation_has(uint64_t site) {
  for (uint32_t i = 0; i < g_followed_count; ++i) {
    const Translation* t = g_followed[i].translation;
    if (g_followed[i].is_there && site >= t->sites && site < t->sites_end) return true;
  }
  return false;
}

bool is_full_buffer(const siginfo_t& info, void* context) {
  if (!translating()) return false;
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  Slot& slot = self();
  auto at = reinterpret_cast<uint64_t>(info.si_addr);
  bool full = at == reinterpret_cast<uint64_t>(slot.shared) + kGsReferences + kReferencesBytes &&
              copy_with(static_cast<uint64_t>(registers[REG_RIP])) &&
              slot.shared->next_reference == kGsReferences + kReferencesBytes;
  if (!full) return false;
  tell_noted(slot);
  registers[REG_RAX] = kGsReferences;
  return true;
}

uint64_t original_code(uint64_t pc) {
  const Translation* t = translating() ? copy_with(pc) : nullptr;
  if (!t) return pc;
  auto* origins = reinterpret_cast<const Origin*>(t->at + t->origins);
  uint64_t low = 0, high = t->origin_count;  // the last one that is not behind it is in [low, high)
  while (high - low > 1) {
    uint64_t middle = (low + high) / 2;
    if (origins[middle].translated <= pc - t->at) low = middle;
    else high = middle;
  }
  return t->begin + origins[low].original;
}

uint64_t translated_code(uint64_t pc) {
  const Translation* t = translating() ? code_with(pc) : nullptr;
  if (!t) return pc;
  uint32_t entry = reinterpret_cast<const uint32_t*>(t->at)[pc - t->begin];
  return entry ? t->at + entry : pc;
}

}  // namespace ana
