// Where the variables of a program are.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace ana {

class Variables {
 public:
  using Range = std::pair<uint64_t, uint64_t>;  // first and last byte

  Variables() = default;
  // Sorted.
  explicit Variables(std::vector<Range> all) : all_(std::move(all)) {}

  // The first byte of the variable that this address is in; 0: it is in none.
  uint64_t of(uint64_t address) const {
    auto after = std::upper_bound(all_.begin(), all_.end(), address,
                                  [](uint64_t at, const Range& variable) { return at < variable.first; });
    return after != all_.begin() && address <= std::prev(after)->second ? std::prev(after)->first : 0;
  }

 private:
  std::vector<Range> all_;
};

}  // namespace ana
