// What is known of synchronisation objects by their addresses. There is a look-up for each atomic access, mostly of the same
// few objects, so those that were looked up lately are found at once. Ranges are forgotten with each block of memory that is
// allocated, so objects lie by lines.
#pragma once
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ana::races {

template <class Object>
class ObjectTable {
 public:
  // Null if there is none.
  Object* find(uint64_t address) {
    Recent& recent = recent_of(address);
    if (recent.address != address) recent = {address, look_up(address)};
    return recent.object;
  }
  // Makes it if there is none.
  Object& at(uint64_t address) {
    if (Object* object = find(address)) return *object;
    Line& line = lines_[address / kLine];
    line.emplace_back(address, std::make_unique<Object>());
    return *(recent_of(address).object = line.back().second.get());
  }
  void forget(uint64_t first, uint64_t last) {
    uint64_t from = first / kLine, to = last / kLine;
    if (to - from < lines_.size()) {
      for (uint64_t number = from; number <= to; number++) {
        auto at = lines_.find(number);
        if (at != lines_.end() && forget_in(at->second, first, last)) lines_.erase(at);
      }
      return;
    }
    for (auto line = lines_.begin(); line != lines_.end();) {
      bool gone = line->first >= from && line->first <= to && forget_in(line->second, first, last);
      line = gone ? lines_.erase(line) : std::next(line);
    }
  }

 private:
  static constexpr uint64_t kLine = 64, kRecent = 1 << 12, kSpread = 0x9e3779b97f4a7c15ull;
  static constexpr uint32_t kRecentShift = 52;  // what is left of 64 bits for as many
  using Line = std::vector<std::pair<uint64_t, std::unique_ptr<Object>>>;
  struct Recent {
    uint64_t address = ~0ull;
    Object* object = nullptr;  // null: there is none
  };

  Recent& recent_of(uint64_t address) { return recent_[address * kSpread >> kRecentShift]; }
  Object* look_up(uint64_t address) {
    auto line = lines_.find(address / kLine);
    if (line == lines_.end()) return nullptr;
    for (auto& [at, object] : line->second)
      if (at == address) return object.get();
    return nullptr;
  }
  // Whether nothing is left.
  bool forget_in(Line& line, uint64_t first, uint64_t last) {
    std::erase_if(line, [&](const auto& each) {
      if (each.first < first || each.first > last) return false;
      if (Recent& recent = recent_of(each.first); recent.address == each.first) recent = {};
      return true;
    });
    return line.empty();
  }

  std::unordered_map<uint64_t, Line> lines_;
  std::array<Recent, kRecent> recent_;
};

}  // namespace ana::races
