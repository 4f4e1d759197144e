// Takes the references of a block to the granules of a table. A few references ahead the pages are looked up, divided
// if need be, and fetched into the cache.
#pragma once
#include "sim/granule_table.h"
#include "trace/references.h"

namespace ana::sim {

// one(row, granule, key) for a reference that touches one granule; several(row, each) for others, where each(use) calls
// use(granule, key) for all of them. copy() as in GranuleTable::divide().
template <class Granule, class Copy, class One, class Several>
void walk(GranuleTable<Granule>& table, const ReferenceBlock& block, Copy copy, One one, Several several) {
  using Page = typename GranuleTable<Granule>::Page;
  constexpr size_t kAhead = 16;
  Page* pages[kAhead];
  const size_t count = block.rows.size();
  auto look_up = [&](size_t i) {
    const ReferenceRow& row = block.rows[i];
    Page& page = table.page(row.address, row.size);
    uint64_t last = row.address + row.size - 1;
    if (last > page.last) {
      for (uint64_t at = row.address; at <= last;) {
        Page& part = table.page(at, last - at + 1);
        uint64_t end = last < part.last ? last : part.last;
        if (!table.fits(part, at, end - at + 1)) table.divide(part, at, end - at + 1, copy);
        at = end + 1;
        if (at == 0) break;
      }
    } else if (!table.fits(page, row.address, row.size)) [[unlikely]] {
      table.divide(page, row.address, row.size, copy);
    }
    __builtin_prefetch(&page.at(row.address), 1);
    pages[i % kAhead] = &page;
  };
  for (size_t i = 0; i < kAhead && i < count; ++i) look_up(i);
  for (size_t i = 0; i < count; ++i) {
    const ReferenceRow& row = block.rows[i];
    Page& page = *pages[i % kAhead];
    uint64_t last = row.address + row.size - 1;
    if (last <= page.last && (row.address ^ last) >> page.unit == 0) [[likely]] {
      one(row, page.at(row.address), page.key(row.address), i);
    } else {
      several(row, i, [&](auto use) {
        uint64_t at = row.address;
        for (Page* part = &page;; part = &table.page(at, last - at + 1)) {
          for (; at <= last && at <= part->last; at = part->key(at) + (uint64_t{1} << part->unit)) {
            use(part->at(at), part->key(at));
            if (part->key(at) + ((uint64_t{1} << part->unit) - 1) >= last) return;
          }
        }
      });
    }
    if (i + kAhead < count) look_up(i + kAhead);
  }
}

}  // namespace ana::sim
