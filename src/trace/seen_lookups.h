// What a translation (translate.h) puts before an access that need not be told if its thread has told the like in its
// epoch (docs/races.md, translation.h).
//
// All look up what is at the address in rcx, and change rax and flags. They give jumps to where the access is not told,
// for MachineCode::set_relative(); behind them it is told, and has been noted as such.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "trace/machine_code.h"
#include "trace/step_table.h"
#include "trace/translation.h"

namespace ana {

class SeenLookups {
 public:
  // `by_bytes`: plain accesses are looked up by bytes, not by lines.
  SeenLookups(MachineCode& out, bool by_bytes) : out_(out), by_bytes_(by_bytes) {}

  // Whether it may lie in a line whose accesses are told.
  size_t whether_wanted();
  // An operand whose address never changes needs no address to be looked up, only its number. Does not use rcx.
  size_t for_place(uint32_t number);
  static bool has_place(uint32_t number) { return number < kSeenEntries; }
  bool by_bytes() const { return by_bytes_; }
  // Adds upper bits to rcx.
  size_t for_bytes(const StepOperand& operand, uint32_t number);
  // One line, or two if it crosses into the next: then both have to be there. Small ones that are not aligned are told
  // always. Leaves nothing in rcx.
  void for_lines(const StepOperand& operand, std::vector<size_t>& done);

  // The same questions, asked quickly of the address that a register has: they change nothing but the registers that
  // they are given, and flags. The jumps lead to where it is told or asked more closely.
  void quickly_whether_wanted(Register half_address, std::vector<size_t>& maybe);
  void quickly_for_place(uint32_t number, Register r, std::vector<size_t>& maybe);
  void quickly_for_lines(const StepOperand& operand, Register address, Register other, std::vector<size_t>& maybe);
  // Of all that lies between, which may cross into the next line.
  void quickly_for_two_lines(const StepOperand& operand, Register address, Register other, std::vector<size_t>& maybe);
  void quickly_for_bytes(const StepOperand& operand, uint32_t number, Register address, Register other,
                         std::vector<size_t>& maybe);

 private:
  int32_t place_entry(uint32_t number) const {
    return (by_bytes_ ? seen_lines(false) : seen_table(0, false)) + static_cast<int32_t>(number * 8);
  }
  int32_t bytes_table(const StepOperand& operand) const;
  uint32_t spread(uint32_t number) const;
  void put_line_key();
  void note_line(const StepOperand& operand, int32_t further = 0);

  MachineCode& out_;
  bool by_bytes_;
};

}  // namespace ana
