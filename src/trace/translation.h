// A second copy of code that tells what it accesses, for replays that are followed (docs/races.md): made by the tool
// (translate.h), put beside the program by the host (runtime/host/order/translated.h). There is one of the program, and one of
// each library that was built with Anaphora for each place where it is loaded. In the schedule's file, one after the other:
//
//   Translation, then the bytes of the copy, then TextPatch[], then what they put over the code itself, then lines
//
// What concerns all of them (lines, by_lines, looks, order_entries.h) is said by the first.
//
// The copy itself is
//
//   uint32_t entries[end - begin]   of each byte of the original code, where in the copy the instruction that begins there is
//   code
//   Origin[]                        sorted; the way back
//
// Freestanding: used inside the program.
#pragma once
#include <stdint.h>

namespace ana {

constexpr uint32_t kMostTranslations = 256;

struct Translation {
  uint64_t begin, end;    // the original code
  uint64_t sites, sites_end;       // of its checks (AnaSite)
  uint64_t library;       // offset from here of its path, as the schedule names it; 0: of the program itself
  uint64_t next;          // offset from here of the next Translation, or 0
  uint64_t at, bytes;     // where the copy goes; all of it
  uint64_t code;          // offset in the copy of its code
  uint64_t origins, origin_count;  // the same of these
  uint64_t contents;      // offset of the copy from here
  uint64_t patches, patch_count;   // the same of these
  uint64_t lines, line_count;      // the same: numbers of lines, whose accesses alone are told if there are any
  uint64_t by_lines;      // plain accesses are told once for a line
};

// Offsets in the copy and from `begin`: a part of the copy that is of one instruction, up to the next.
struct Origin {
  uint32_t translated, original;
};

struct TextPatch {
  uint64_t address, bytes;
  uint64_t contents;      // offset from the Translation
};

inline const Translation* next_of(const Translation& t) {
  return t.next ? reinterpret_cast<const Translation*>(reinterpret_cast<const char*>(&t) + t.next) : nullptr;
}
inline const char* library_of(const Translation& t) {
  return t.library ? reinterpret_cast<const char*>(&t) + t.library : nullptr;
}

// Where the copy's code finds what it needs of its thread, from gs; session.h asserts that it is there.
constexpr uint32_t kGsNext = 72;      // of the next CompactReference, from gs
constexpr uint32_t kGsScratch = 80;   // three registers
constexpr uint32_t kGsTarget = 104;   // of a jump
constexpr uint32_t kGsDue = 112;      // a check has something to do
constexpr uint32_t kGsPresent = 120;  // upper bits of addresses that have been told lately
constexpr uint32_t kGsSkips = 2056;   // counted events to be left out before one is told (order_entries.h); then negative
constexpr uint32_t kGsPresentAtomic = 2072;  // as kGsPresent, of atomic accesses
constexpr uint32_t kGsQuiet = 2064;   // a check is called that has been counted and left out
// The references that have not been told yet; behind them nothing is mapped, so that one too many is a fault.
constexpr uint32_t kGsReferences = 0x80000;
constexpr uint32_t kReferencesBytes = 0xf000;
// What the thread has told already in its present epoch, of which detectors of races need no more (docs/races.md):
// keys, which count if their upper bits are the thread's present ones. Either lines that were read and written, with
// room behind the last for the next one; or, of each size and kind, addresses. And which lines are told at all. Below
// the thread's area, as far as displacements reach; of all that only what is used takes memory.
constexpr uint32_t kSeenShift = 48, kSeenLineShift = 6;
constexpr uint32_t kSeenLines = 1 << 22, kSeenEntries = 1 << 18, kSeenSizes = 7;  // 1, 2, 4 ... 64 bytes
constexpr uint32_t kToldLines = 1 << (32 - kSeenLineShift);  // those that differ in the lower halves of addresses
constexpr int32_t kSeenLineBytes = (kSeenLines + 512) * 8, kSeenTableBytes = kSeenEntries * 8;
constexpr int32_t kGsLinesTold = -static_cast<int32_t>(kToldLines);  // a byte for each
constexpr int32_t kGsSeen = kGsLinesTold - 2 * kSeenLineBytes - static_cast<int32_t>(kSeenSizes * 2) * kSeenTableBytes;
constexpr int32_t seen_lines(bool write) { return kGsLinesTold - (1 + write) * kSeenLineBytes; }
constexpr int32_t seen_table(uint32_t log_bytes, bool write) {
  return kGsSeen + static_cast<int32_t>(log_bytes * 2 + write) * kSeenTableBytes;
}

// What the program's code has put there.
struct CompactReference {
  uint64_t address;
  uint32_t operand;   // StepOperand of the code that is followed, numbered through all of it
  uint32_t count;     // of its thread, the low half
};
static_assert(sizeof(CompactReference) == 16 && kReferencesBytes % sizeof(CompactReference) == 0);

}  // namespace ana
