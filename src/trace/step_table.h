// The instructions of a program that access memory, for replays that follow it instruction by instruction
// (runtime/host/order/stepping.h): a table that the tool makes from the program's file and adds to the schedule.
//
//   StepTable, then uint32_t index[end - begin]: of each byte of code what begins there, then StepOperand[], then
//   StepPlace[], sorted: if there are any, only references to them are told, and only code that may have such is followed
//
// The first half is freestanding: used inside the program.
#pragma once
#include <stdint.h>

namespace ana {

// What begins at a byte of code; other numbers are that of the instruction's first operand, plus kStepFirstOperand.
constexpr uint32_t kStepNothing = 0;   // no instruction: the table is not that of the code
constexpr uint32_t kStepPlain = 1;     // an instruction without references, or code that is none of the program's
constexpr uint32_t kStepUnknown = 2;   // one whose references are not known before it is executed
constexpr uint32_t kStepFirstOperand = 3;

constexpr uint8_t kNoRegister = 0xff;

struct StepOperand {
  int64_t displacement;
  uint16_t bytes;
  uint8_t base, index;  // in the order of a signal's registers (REG_R8 is 0), or kNoRegister
  uint8_t scale;
  uint8_t bit;          // bt and its kin: the register that says which bit, counted from the address
  uint8_t writes : 1;
  uint8_t thread_local_ : 1;  // relative to fs
  uint8_t repeated : 1;       // nothing if rcx is 0
  uint8_t last : 1;           // of its instruction
  uint8_t locked : 1;         // atomic
  uint8_t reads : 1;          // what it writes, too
  uint8_t reserved;
};
static_assert(sizeof(StepOperand) == 16);

struct StepTable {
  uint64_t begin, end;  // addresses of code
  uint64_t operands;    // offset from here
  uint64_t places, place_count;
};

struct StepPlace {
  uint64_t first, last;
};

}  // namespace ana
