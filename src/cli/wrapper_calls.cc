#include "cli/wrapper_calls.h"

#include <string.h>

#include <algorithm>

#include "cli/sites.h"
#include "runtime/layout.h"

namespace ana {

namespace {

constexpr uint8_t kCall = 0xe8;  // and four bytes: how far it is from the next instruction
constexpr uint64_t kCallBytes = 5;

}  // namespace

WrapperCalls::WrapperCalls(const std::string& program) {
  auto elf = ElfFile::open(program);
  if (!elf) return;
  auto section = elf->section(kWrappersSection);
  base_ = elf->position_independent() ? layout::kProgram : 0;
  for (const ElfFile::Symbol& f : elf->functions())
    if (section && f.address - section->address < section->bytes) wrappers_.try_emplace(f.address, f.name);
  elf_ = std::move(*elf);
}

std::string WrapperCalls::function(uint64_t return_address) const {
  uint64_t next = return_address - base_;
  const uint8_t* call = elf_ ? elf_->at(next - kCallBytes, kCallBytes) : nullptr;
  if (!call || *call != kCall) return "";
  int32_t distance;
  memcpy(&distance, call + 1, sizeof distance);
  auto called = wrappers_.find(next + static_cast<uint64_t>(static_cast<int64_t>(distance)));
  return called == wrappers_.end() ? "" : demangled(called->second);
}

bool WrapperCalls::is_data(uint64_t address) const {
  if (!elf_ || !elf_->at(address - base_, 1)) return false;
  auto code = elf_->code_sections();
  return std::none_of(code.begin(), code.end(), [&](const ElfFile::NamedSection& s) {
    return address - base_ - s.address < s.bytes;
  });
}

}  // namespace ana
