// What is typical of the edges of a stream, as models for a BitEncoder and a BitDecoder (bit_coder.h). Edges of one place in
// the code resemble one another: how far the thread has come since its last edge, whom it waits for, how much that one has
// done since. So each of the last 64 sites has models of its own.
//
// Knows differences only, as they stand in a stream: begins without any knowledge of what came before.
#pragma once
#include <stdint.h>

#include <array>
#include <bit>
#include <vector>

#include "trace/bit_coder.h"
#include "trace/session.h"

namespace ana {

// The fields of an edge record as they stand in the stream, without their kind.
struct EdgeFields {
  uint64_t count_change = 0;  // below 2^62
  int64_t site_change = 0;
  uint64_t source = 0;        // below kMaxSlots
  int64_t source_count_change = 0;
  int64_t source_edges_change = 0;
};

template <uint32_t kLevels>
struct TreeModel {
  std::array<BitModel, 1u << kLevels> nodes;

  template <class Coder>
  uint32_t code(Coder& coder, uint32_t value) {
    uint32_t node = 1;
    for (uint32_t i = kLevels; i-- > 0;) node = node << 1 | coder.bit(nodes[node], (value >> i & 1) != 0);
    return node - (1u << kLevels);
  }
};

// A number below 2^64: whether it is the last one again, else how many bits it has, then the first of them. The others are not
// worth a model.
class NumberModel {
 public:
  template <class Coder>
  uint64_t code(Coder& coder, uint64_t value) {
    if (coder.bit(same_, value == last_)) return last_;
    uint32_t width = code_width(coder, static_cast<uint32_t>(std::bit_width(value)));
    uint64_t got = width == 0 ? 0 : code_rest(coder, width, value);
    last_ = got;
    return got;
  }

 private:
  static constexpr uint32_t kFew = 15;  // bits; that many or more are told by another tree
  static constexpr uint32_t kTopBits = 3;

  template <class Coder>
  uint32_t code_width(Coder& coder, uint32_t width) {
    uint32_t few = few_.code(coder, width < kFew ? width : kFew);
    if (few < kFew) return few;
    uint32_t many = kFew + many_.code(coder, width - kFew);
    return many < 64 ? many : 64;
  }

  template <class Coder>
  uint64_t code_rest(Coder& coder, uint32_t width, uint64_t value) {
    uint64_t got = 1;  // the highest bit
    uint32_t left = width - 1;
    auto& tops = tops_[width < kFew ? width : kFew];
    for (uint32_t node = 1; left > 0 && node < (1u << kTopBits);) {
      bool bit = coder.bit(tops[node], (value >> --left & 1) != 0);
      node = node << 1 | bit;
      got = got << 1 | bit;
    }
    return got << left | coder.plain(left, value & low_bits(left));
  }
  static uint64_t low_bits(uint32_t n) { return (uint64_t{1} << n) - 1; }

  BitModel same_;
  TreeModel<4> few_;
  TreeModel<6> many_;
  std::array<std::array<BitModel, 1u << kTopBits>, kFew + 1> tops_;
  uint64_t last_ = 0;
};

// The same with a sign; 0 has none.
struct SignedModel {
  BitModel negative;
  NumberModel size;

  template <class Coder>
  int64_t code(Coder& coder, int64_t value) {
    bool below = coder.bit(negative, value < 0);
    uint64_t bits = static_cast<uint64_t>(value);
    // Of those below 0 the complement, so that the smallest fits.
    uint64_t got = size.code(coder, below ? ~bits : bits);
    return static_cast<int64_t>(below ? ~got : got);
  }
};

class EdgeModel {
 public:
  template <class Coder>
  EdgeFields code(Coder& coder, const EdgeFields& edge) {
    EdgeFields got;
    code_site(coder, address_ + static_cast<uint64_t>(edge.site_change));
    Site& site = sites_[recent_[0]];
    got.site_change = static_cast<int64_t>(site.address - address_);
    address_ = site.address;
    got.source = coder.bit(site.same_source, edge.source == site.source)
                     ? site.source
                     : sources_.code(coder, static_cast<uint32_t>(edge.source));
    site.source = static_cast<uint32_t>(got.source);
    got.count_change = site.count.code(coder, edge.count_change);
    got.source_edges_change = site.edges[edges_class_].code(coder, edge.source_edges_change);
    edges_class_ = got.source_edges_change == 0 ? 0 : got.source_edges_change == 1 ? 1 : 2;
    got.source_count_change = site.source_count[edges_class_].code(coder, edge.source_count_change);
    return got;
  }

 private:
  static constexpr uint32_t kMaxSites = 64;  // that are remembered
  static constexpr uint32_t kSlotBits = 10;
  static_assert(kMaxSlots == 1u << kSlotBits);
  static constexpr uint32_t kClasses = 3;  // of changes of source edges: 0, 1, others

  struct Site {
    uint64_t address = 0;
    uint8_t next = 0;  // which site followed it the last time
    BitModel same_next, same_source;
    uint32_t source = 0;
    NumberModel count;
    std::array<SignedModel, kClasses> edges, source_count;
  };

  // Leaves the edge's site in front.
  template <class Coder>
  void code_site(Coder& coder, uint64_t address) {
    if (sites_.empty()) {
      learn_site(coder, address);
      return;
    }
    uint8_t before = recent_[0];
    uint8_t next = sites_[before].next;
    if (coder.bit(sites_[before].same_next, sites_[next].address == address)) {
      move_to_front(place_of(next));
      return;
    }
    uint32_t known = static_cast<uint32_t>(sites_.size()), place = 0;
    if (Coder::kEncodes) {
      while (place < known && sites_[recent_[place]].address != address) place++;
    }
    place = places_.code(coder, place < known ? place : kMaxSites);
    if (place < known) {
      move_to_front(place);
    } else {
      learn_site(coder, address);
    }
    sites_[before].next = recent_[0];
  }
  // Instead of the one that has not been seen for longest, if there are too many.
  template <class Coder>
  void learn_site(Coder& coder, uint64_t address) {
    newest_ += static_cast<uint64_t>(new_sites_.code(coder, static_cast<int64_t>(address - newest_)));
    if (sites_.size() < kMaxSites) {
      recent_[sites_.size()] = static_cast<uint8_t>(sites_.size());
      sites_.emplace_back();
    }
    move_to_front(static_cast<uint32_t>(sites_.size()) - 1);
    sites_[recent_[0]] = Site{};
    sites_[recent_[0]].address = newest_;
    sites_[recent_[0]].next = recent_[0];
  }
  uint32_t place_of(uint8_t site) const {
    uint32_t place = 0;
    while (recent_[place] != site) place++;
    return place;
  }
  void move_to_front(uint32_t place) {
    uint8_t site = recent_[place];
    for (; place > 0; place--) recent_[place] = recent_[place - 1];
    recent_[0] = site;
  }

  std::vector<Site> sites_;  // at most kMaxSites
  std::array<uint8_t, kMaxSites> recent_{};  // indices of sites_, the last one in front
  TreeModel<7> places_;
  SignedModel new_sites_;
  TreeModel<kSlotBits> sources_;
  uint64_t newest_ = 0;   // the site that was learnt last
  uint64_t address_ = 0;  // that of the last edge
  uint32_t edges_class_ = 0;
};

}  // namespace ana
