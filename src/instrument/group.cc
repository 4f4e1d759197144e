#include "instrument/group.h"

#include <algorithm>
#include <numeric>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace ana {

constexpr int64_t kMaxGroupBytes = 256;

// The constants that are added somewhere in an address, also in the starts of its recurrences.
static int64_t constant_part(const SCEV* address) {
  if (auto* recurrence = dyn_cast<SCEVAddRecExpr>(address)) return constant_part(recurrence->getStart());
  if (auto* constant = dyn_cast<SCEVConstant>(address)) {
    return constant->getAPInt().getSignificantBits() <= 32 ? constant->getAPInt().getSExtValue() : 0;
  }
  auto* sum = dyn_cast<SCEVAddExpr>(address);
  if (!sum) return 0;
  return std::accumulate(sum->operands().begin(), sum->operands().end(), int64_t{0},
                         [](int64_t so_far, const SCEV* operand) { return so_far + constant_part(operand); });
}

static std::pair<const SCEV*, int64_t> split_constant(ScalarEvolution& evolution, const SCEV* address) {
  int64_t offset = constant_part(address);
  if (!offset) return {address, 0};
  Type* type = evolution.getEffectiveSCEVType(address->getType());
  return {evolution.getAddExpr(address, evolution.getConstant(type, -offset, true)), offset};
}

// The plain base is the anchor: its constant distance then folds into the addresses of check and cold block.
Group::Group(const Access& access, const DataLayout& layout) : key(access.key), write(access.write) {
  int64_t distance = 0;
  anchor = GetPointerBaseWithConstantOffset(access.pointer, distance, layout);
  anchor_at = access.key_offset - distance;
  low = access.key_offset + access.offset;
  high = low + static_cast<int64_t>(access.size) - 1;
  align = access.align;
  aligned_at = low;
}

bool Group::absorb(const Group& other) {
  if (key != other.key) return false;
  bool same_place = low == other.low && high == other.high;
  int64_t from = std::min(low, other.low);
  int64_t to = std::max(high, other.high);
  if (write != other.write && !same_place) return false;
  int64_t gap = std::max(low, other.low) - std::min(high, other.high);
  if (gap >= static_cast<int64_t>(kLineBytes) || to - from >= kMaxGroupBytes) return false;
  low = from;
  high = to;
  write |= other.write;
  if (other.align > align) {
    align = other.align;
    aligned_at = other.aligned_at;
  }
  return true;
}

Check Group::check() const {
  if (fits_one_line(low, high, align, aligned_at)) return {range(), Extent::kOneLine};
  return {range(), high - low < static_cast<int64_t>(kLineBytes) ? Extent::kTwoLines : Extent::kFewLines};
}

void Group::rebase(ScalarEvolution& evolution, const SCEV* place) {
  auto [new_key, offset] = split_constant(evolution, place);
  key = new_key;
  low += offset - anchor_at;
  high += offset - anchor_at;
  aligned_at += offset - anchor_at;
  anchor_at = offset;
}

void assign_keys(MutableArrayRef<Access> accesses, ScalarEvolution* evolution, const DataLayout& layout) {
  for (Access& access : accesses) {
    if (evolution) {
      auto [key, offset] = split_constant(*evolution, evolution->getSCEV(access.pointer));
      access.key = key;
      access.key_offset = offset;
    } else {
      access.key_offset = 0;
      access.key = GetPointerBaseWithConstantOffset(access.pointer, access.key_offset, layout);
    }
  }
}

}  // namespace ana
