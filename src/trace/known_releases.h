// What is known beforehand of the releases of a replayed program, for translations whose threads need not begin an epoch at
// each (docs/races.md). Behind the lines of a Translation (translation.h):
//
//   uint64_t slots, then begins[slots + 1]: of each slot where its entries begin; then uint32_t entries[]
//
// Freestanding: used inside the program.
#pragma once
#include <stdint.h>

#include "trace/translation.h"

namespace ana {

// A release of a slot's that its thread tells by itself, in their order: whether another thread has come after it, and the
// lower half of its count, so that a replay which has others is found out.
constexpr uint32_t release_entry(uint64_t count, bool known) { return static_cast<uint32_t>(count << 1) | known; }

// Whether others may come after the release with this number. What is not as it was does not count.
inline bool may_be_known(const Translation& translation, uint32_t slot, uint64_t number, uint64_t count) {
  auto* lines = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&translation) + translation.lines);
  const uint64_t* table = lines + translation.line_count;
  uint64_t slots = table[0];
  if (slot >= slots) return true;
  const uint64_t* begins = table + 1;
  auto* entries = reinterpret_cast<const uint32_t*>(begins + slots + 1);
  uint64_t at = begins[slot] + number;
  return at >= begins[slot + 1] || entries[at] != release_entry(count, false);
}

}  // namespace ana
