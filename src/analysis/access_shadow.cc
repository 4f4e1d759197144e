#include "analysis/access_shadow.h"

#include <algorithm>

namespace ana::races {

AccessSet::AccessSet(const AccessSet& other) { *this = other; }

AccessSet& AccessSet::operator=(const AccessSet& other) {
  one_ = other.one_;
  many_ = other.many_ ? std::make_unique<std::vector<Access>>(*other.many_) : nullptr;
  return *this;
}

void AccessSet::add(const Access& access, const VectorTime& clock) {
  if (!many_) {
    if (!one_.epoch || one_.epoch.thread == access.epoch.thread || clock.covers(one_.epoch)) {
      one_ = access;
      return;
    }
    many_ = std::make_unique<std::vector<Access>>(1, one_);
  }
  auto same = [&](const Access& a) { return a.epoch.thread == access.epoch.thread; };
  auto at = std::find_if(many_->begin(), many_->end(), same);
  if (at != many_->end()) *at = access;
  else many_->push_back(access);
}

void AccessSet::add_unordered(const Access& access) {
  if (!one_.epoch && !many_) {
    one_ = access;
    return;
  }
  if (!many_) many_ = std::make_unique<std::vector<Access>>(1, one_);
  many_->push_back(access);
}

void AccessSet::clear() {
  one_ = {};
  many_.reset();
}

Variable Variable::copy() const {
  Variable out;
  out.first = first;
  out.last = last;
  out.write = write;
  out.reads = reads;
  if (atomics) out.atomics = std::make_unique<Atomics>(*atomics);
  return out;
}

void AccessShadow::divide(Word& word, uint64_t first, uint64_t last) {
  auto cut_before = [&](uint64_t byte) {
    for (size_t i = 0; i < word.size(); i++) {
      if (word[i].first >= byte || word[i].last < byte) continue;
      Variable rest = word[i].copy();
      rest.first = static_cast<uint8_t>(byte);
      word[i].last = static_cast<uint8_t>(byte - 1);
      word.push_back(std::move(rest));
      return;
    }
  };
  cut_before(first);
  cut_before(last + 1);
  // Bytes that have no variable yet get one for each gap.
  uint8_t covered = 0;
  for (const Variable& v : word) covered |= static_cast<uint8_t>(((2u << v.last) - 1) & ~((1u << v.first) - 1));
  for (uint64_t byte = first; byte <= last;) {
    if (covered >> byte & 1) {
      byte++;
      continue;
    }
    Variable gap;
    gap.first = static_cast<uint8_t>(byte);
    while (byte <= last && !(covered >> byte & 1)) byte++;
    gap.last = static_cast<uint8_t>(byte - 1);
    word.push_back(std::move(gap));
  }
}

void AccessShadow::leave_cells(Page& page, Word& word, uint64_t address) {
  uint64_t number = address / kWordBytes % kPageWords;
  auto leave = [&](Cell& cell) {
    if (cell.is_empty()) return;
    Variable variable;
    variable.first = cell.any().first();
    variable.last = cell.any().last();
    if (!cell.write.is_none()) variable.write = expand_(cell.write, address);
    for (const BriefAccess& read : cell.reads)
      if (!read.is_none()) variable.reads.add_unordered(expand_(read, address));
    word.push_back(std::move(variable));
    cell = {};
  };
  leave(page.cells[number]);
  if (page.upper_halves) leave(page.upper_halves[number]);
  page.cells[number].write = BriefAccess::elsewhere();
}

void AccessShadow::clear(uint64_t first, uint64_t last) {
  auto clear_part = [&](uint64_t number, Page& page) {
    uint64_t begin = number * kPageBytes, end = begin + kPageBytes - 1;
    uint64_t from = std::max(first, begin), to = std::min(last, end);
    for (uint64_t at = from; at <= to; at = (at | (kWordBytes - 1)) + 1) {
      uint64_t low = at % kWordBytes, high = std::min(to, at | (kWordBytes - 1)) % kWordBytes;
      uint64_t place = at / kWordBytes % kPageWords;
      bool has_upper = page.upper_halves && !page.upper_halves[place].is_empty();
      if (low == 0 && high == kWordBytes - 1) {
        page.cells[place] = {};
        if (has_upper) page.upper_halves[place] = {};
        if (page.words) page.words[place].clear();
        continue;
      }
      if (page.cells[place].is_empty() && !has_upper) continue;
      Word& word = word_of(at);
      divide(word, low, high);
      std::erase_if(word, [&](const Variable& v) { return v.first >= low && v.last <= high; });
    }
  };
  uint64_t from = first / kPageBytes, to = last / kPageBytes;
  if (to - from < pages_.size()) {
    for (uint64_t number = from; number <= to; number++) {
      if (auto at = pages_.find(number); at != pages_.end()) clear_part(number, *at->second);
    }
    return;
  }
  for (auto& [number, page] : pages_) {
    if (number >= from && number <= to) clear_part(number, *page);
  }
}

}  // namespace ana::races
