#include "trace/telling_functions.h"

#include <algorithm>
#include <iterator>

namespace ana {

TellingFunctions::TellingFunctions(const ElfFile& program, uint64_t base, const AtomicChecks& atomics,
                                   bool by_instructions) {
  std::vector<ElfFile::Symbol> symbols = program.functions();
  for (uint64_t after : atomics.all()) {
    if (by_instructions && atomics.is_told_by_instruction(after)) continue;
    auto behind = std::upper_bound(symbols.begin(), symbols.end(), after - base,
                                   [](uint64_t at, const ElfFile::Symbol& f) { return at < f.address; });
    bool known = behind != symbols.begin() && after - base < behind[-1].address + behind[-1].bytes;
    // What a compiler has put apart belongs to another function.
    if (!known || behind[-1].name.find(".cold") != std::string_view::npos) all_ = true;
    else functions_.push_back({base + behind[-1].address, base + behind[-1].address + behind[-1].bytes});
  }
  std::sort(functions_.begin(), functions_.end());
}

bool TellingFunctions::contains(uint64_t address) const {
  auto behind = std::upper_bound(functions_.begin(), functions_.end(), std::pair(address, UINT64_MAX));
  return all_ || (behind != functions_.begin() && address < std::prev(behind)->second);
}

}  // namespace ana
