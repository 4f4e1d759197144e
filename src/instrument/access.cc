#include "instrument/access.h"

#include <algorithm>

namespace ana {

static int64_t floor_divide(int64_t value, int64_t by) {
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}

bool fits_one_line(int64_t low, int64_t high, llvm::Align align, int64_t aligned_at) {
  int64_t unit = std::min<int64_t>(static_cast<int64_t>(align.value()), kLineBytes);
  return floor_divide(low - aligned_at, unit) == floor_divide(high - aligned_at, unit);
}

}  // namespace ana
