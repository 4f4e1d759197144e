// An undirected graph whose rows are sets of bits: race graphs are dense where there are races at all. Vertices are
// numbered from 0. A value.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <bit>
#include <span>
#include <vector>

namespace ana {

class BitGraph {
 public:
  explicit BitGraph(size_t vertices) : vertices_(vertices), words_((vertices + 63) / 64), bits_(vertices * words_) {}

  void add_edge(size_t a, size_t b) {
    set(a, b);
    set(b, a);
  }
  bool has_edge(size_t a, size_t b) const { return (bits_[a * words_ + b / 64] >> b % 64 & 1) != 0; }

  size_t vertices() const { return vertices_; }
  size_t words() const { return words_; }  // of a row
  std::span<const uint64_t> row(size_t v) const { return {bits_.data() + v * words_, words_}; }
  size_t degree(size_t v) const {
    size_t sum = 0;
    for (uint64_t word : row(v)) sum += static_cast<size_t>(std::popcount(word));
    return sum;
  }

  // The graph between these vertices, which become 0, 1, ...
  BitGraph induced(std::span<const uint32_t> chosen) const {
    BitGraph out(chosen.size());
    for (size_t i = 0; i < chosen.size(); i++) {
      for (size_t j = 0; j < i; j++) {
        if (has_edge(chosen[i], chosen[j])) out.add_edge(i, j);
      }
    }
    return out;
  }

 private:
  void set(size_t a, size_t b) { bits_[a * words_ + b / 64] |= uint64_t{1} << b % 64; }

  size_t vertices_, words_;
  std::vector<uint64_t> bits_;
};

// Calls f with each member of a set of bits, in order.
template <class F>
void for_each_bit(std::span<const uint64_t> set, F f) {
  for (size_t i = 0; i < set.size(); i++) {
    for (uint64_t rest = set[i]; rest != 0; rest &= rest - 1) f(i * 64 + static_cast<size_t>(std::countr_zero(rest)));
  }
}

// The connected components, each in ascending order.
std::vector<std::vector<uint32_t>> components(const BitGraph& graph);

}  // namespace ana
