// What is known beforehand of the synchronisation of a replayed program, for translations whose threads tell only as much of
// it as changes what anybody knows of others (docs/races.md). Behind the lines of a Translation (translation.h):
//
//   uint64_t slots, then begins[slots + 1]: of each slot where its entries begin; then uint32_t entries[]
//
// Events that may be left out are counted by their threads: those of checks whose instruction is certain
// (atomic_checks.h), and operations on locks and the like. An entry is one of them that is told.
//
// Freestanding: used inside the program.
#pragma once
#include <stdint.h>

#include "trace/translation.h"

namespace ana {

// How many counted events of the slot are left out before it, and whether it ends an epoch of its thread.
constexpr uint32_t order_entry(uint32_t skipped, bool ends_epoch) { return skipped << 1 | ends_epoch; }
constexpr uint32_t skipped_before(uint32_t entry) { return entry >> 1; }
constexpr bool ends_epoch(uint32_t entry) { return entry & 1; }
constexpr uint32_t kMostSkipped = UINT32_MAX >> 1;

// None: nothing is known, and all are told.
struct OrderEntries {
  const uint32_t* first = nullptr;
  uint64_t count = 0;

  explicit operator bool() const { return first != nullptr; }
};

inline OrderEntries order_entries(const Translation& translation, uint32_t slot) {
  auto* lines = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&translation) + translation.lines);
  const uint64_t* table = lines + translation.line_count;
  uint64_t slots = table[0];
  if (!slots) return {};
  const uint64_t* begins = table + 1;
  auto* entries = reinterpret_cast<const uint32_t*>(begins + slots + 1);
  if (slot >= slots) return {entries, 0};
  return {entries + begins[slot], begins[slot + 1] - begins[slot]};
}

}  // namespace ana
