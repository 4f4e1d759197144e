// The histories of all granules of a simulation, found by address: a hash table of pages, each an array of granules.
//
// With granules of one byte, an access of eight would touch eight histories, nearly always the same ones. So a page
// begins with granules as large as its first access and divides them when an access needs smaller ones; the parts get
// copies of the history. Bytes of one granule have been accessed together ever since, so that the result is exactly
// that of the granularity asked for.
//
// Used by one thread. Pages never move; the granules of a page do, when it is divided.
#pragma once
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace ana::sim {

constexpr unsigned kMaxGranuleShift = 20;

template <class Granule>
class GranuleTable {
 public:
  struct Page {
    Granule* granules;
    uint64_t first;  // address
    uint64_t last;   // address of its last byte
    unsigned unit;   // log2 of the size of its granules

    Granule& at(uint64_t address) { return granules[(address - first) >> unit]; }
    uint64_t key(uint64_t address) const { return address >> unit << unit; }
  };

  // One granule for 2^shift bytes.
  explicit GranuleTable(unsigned shift)
      : shift_(shift), page_shift_(shift + kLeastPerPage < kPageShift ? kPageShift : shift + kLeastPerPage) {
    resize(1024);
  }
  ~GranuleTable() {
    for (Entry& e : entries_) {
      if (e.page) std::free(e.page->granules);
    }
  }
  GranuleTable(const GranuleTable&) = delete;

  // The page of the address, for an access of `size` bytes there.
  Page& page(uint64_t address, uint64_t size) {
    uint64_t number = address >> page_shift_;
    for (size_t i = index(number);; i = (i + 1) & (entries_.size() - 1)) {
      if (entries_[i].number == number && entries_[i].page) [[likely]]
        return *entries_[i].page;
      if (!entries_[i].page) return add(number, address, size);
    }
  }

  // Whether the part of the access that is in the page is made of whole granules.
  bool fits(const Page& page, uint64_t address, uint64_t size) const {
    return page.unit <= shift_ || ((address | size) & ((uint64_t{1} << page.unit) - 1)) == 0;
  }

  // Makes it so. copy(to, from, address of to, address of from) copies a history.
  template <class Copy>
  void divide(Page& page, uint64_t address, uint64_t size, Copy copy) {
    unsigned unit = unit_for(address, size);
    Granule* parts = make(unit);
    uint64_t count = (page.last - page.first + 1) >> unit;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t at = page.first + (i << unit);
      copy(parts[i], page.at(at), at, page.key(at));
    }
    std::free(page.granules);
    page.granules = parts;
    page.unit = unit;
  }

  // Calls use(granule) for all, accessed or not.
  template <class Use>
  void each(Use use) const {
    for (const Entry& e : entries_) {
      if (!e.page) continue;
      for (uint64_t i = 0; i <= (e.page->last - e.page->first) >> e.page->unit; ++i)
        use(e.page->granules[i], e.page->unit);
    }
  }

 private:
  struct Entry {
    uint64_t number = 0;
    std::unique_ptr<Page> page;
  };
  static constexpr unsigned kPageShift = 12, kLeastPerPage = 6;

  size_t index(uint64_t number) const { return number * 0x9e3779b97f4a7c15ull >> (64 - bits_); }

  unsigned unit_for(uint64_t address, uint64_t size) const {
    unsigned natural = static_cast<unsigned>(std::countr_zero(address | size | uint64_t{1} << page_shift_));
    return natural < shift_ ? shift_ : natural;
  }

  Granule* make(unsigned unit) {
    auto* granules = static_cast<Granule*>(std::calloc(size_t{1} << (page_shift_ - unit), sizeof(Granule)));
    if (!granules) throw std::bad_alloc();
    return granules;
  }

  [[gnu::noinline]] Page& add(uint64_t number, uint64_t address, uint64_t size) {
    if (2 * ++used_ > entries_.size()) resize(2 * entries_.size());
    uint64_t first = number << page_shift_;
    unsigned unit = unit_for(address, size);
    auto page = std::make_unique<Page>(Page{make(unit), first, first + ((uint64_t{1} << page_shift_) - 1), unit});
    Page& added = *page;
    put({number, std::move(page)});
    return added;
  }

  void put(Entry entry) {
    size_t i = index(entry.number);
    while (entries_[i].page) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = std::move(entry);
  }

  void resize(size_t capacity) {
    std::vector<Entry> old(capacity);
    old.swap(entries_);
    bits_ = static_cast<unsigned>(std::countr_zero(capacity));
    for (Entry& e : old) {
      if (e.page) put(std::move(e));
    }
  }

  unsigned shift_, page_shift_, bits_ = 0;
  size_t used_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace ana::sim
