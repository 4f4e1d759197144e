// Makers of rows (table.h): for the table, and for calls whose row depends on an argument (ioctl, fcntl, prctl).
#pragma once
#include "runtime/host/syscalls/table.h"

namespace ana::rows {

using Special = long (*)(long number, long* args);

constexpr SyscallRow run(Special by = nullptr, const char* note = nullptr) {
  return {SyscallRow::kRun, false, false, {}, by, 0, note};
}
constexpr SyscallRow log_by(Special by, const char* note = nullptr) {
  return {SyscallRow::kLog, false, false, {}, by, 0, note};
}
constexpr SyscallRow answer(long value, const char* note) {
  return {SyscallRow::kAnswer, false, false, {}, nullptr, value, note};
}
template <class... Outputs>
constexpr SyscallRow log(Outputs... outputs) {
  return {SyscallRow::kLog, false, false, {outputs...}, nullptr, 0, nullptr};
}
template <class... Outputs>
constexpr SyscallRow wait(Outputs... outputs) {
  return {SyscallRow::kLog, true, false, {outputs...}, nullptr, 0, nullptr};
}
// Input through a buffer of ours: the program's memory changes at one recorded moment.
constexpr SyscallRow input(Output output) {
  return {SyscallRow::kLog, true, true, {output}, nullptr, 0, nullptr};
}

constexpr Output fixed(uint8_t argument, uint16_t bytes) { return {Output::kFixed, argument, 0, bytes}; }
constexpr Output by_result(uint8_t argument, uint8_t room, uint16_t bytes = 1) {
  return {Output::kResult, argument, room, bytes};
}
constexpr Output beyond_result(uint8_t argument, uint16_t bytes) { return {Output::kBeyond, argument, 0, bytes}; }
constexpr Output by_argument(uint8_t argument, uint8_t other, uint16_t bytes) {
  return {Output::kArgument, argument, other, bytes};
}
constexpr Output by_pages(uint8_t argument, uint8_t other) { return {Output::kPages, argument, other, 1}; }
constexpr Output by_pointed(uint8_t argument, uint8_t other) { return {Output::kPointed, argument, other, 1}; }
constexpr Output by_bits(uint8_t argument, uint8_t other) { return {Output::kBits, argument, other, 1}; }

}  // namespace ana::rows
