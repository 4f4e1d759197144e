// The functions of a program's code of whose frames on the stack nobody can have an address: no instruction takes one,
// rsp is only moved by numbers, pushes, pops and calls. What they access there by rsp alone, their own variables that have
// no register, is theirs alone, so that detectors of races need not be told.
#pragma once
#include <stdint.h>

#include <vector>

#include "trace/elf_file.h"
#include "trace/make_step_table.h"

namespace ana {

class PrivateFrames {
 public:
  // `base`: where the program's addresses begin; 0 if it is not position independent.
  PrivateFrames(const StepCode& code, const ElfFile& program, uint64_t base);
  // Whether the instruction at `address` is one of such a function.
  bool contains(uint64_t address) const;

 private:
  struct Function {
    uint64_t begin, end;
    bool is_part = false;  // of another, whose frame it uses
    bool is_private = true;
  };
  Function* find(uint64_t address);
  void look(const StepCode::Section& section);

  std::vector<Function> functions_;  // sorted, apart from each other
};

}  // namespace ana
