// What is done about each system call. One row a call; a call without a row is refused, never passed through.
//
//   kRun      executed in record and in replay, nothing logged: it only shapes this process
//   kLog      executed in record, its result and what it wrote into the program's memory are logged; replay takes both
//             from the log and executes nothing
//   kAnswer   never executed: the row's number is the answer
//
// A row with a function (special.h) has it done there, in the same manner.
#pragma once
#include <stdint.h>

namespace ana {

// Something that a call writes into the program's memory.
struct Output {
  enum Size : uint8_t { kNone, kFixed, kResult, kBeyond, kArgument, kPointed, kPages, kBits };
  // kFixed: `bytes`; kResult: result * bytes, but not more than there is room for, args[other] * bytes;
  // kBeyond: result + bytes; kArgument: args[other] * bytes; kPointed: *(u32*)args[other], but not more than it was
  // before the call; kPages: one for each page of args[other] bytes; kBits: words of 64 bits for args[other] of them
  Size size;
  uint8_t argument;  // which argument is the pointer
  uint8_t other;
  uint16_t bytes;
};

constexpr uint32_t kMaxOutputs = 4;

struct SyscallRow {
  enum Kind : uint8_t { kRefuse, kRun, kLog, kAnswer };
  Kind kind;
  bool blocks;       // may wait for long: the epoch ends before it
  bool bounce;       // outputs[0] is filled through a buffer of ours: other threads see it all at once
  Output outputs[kMaxOutputs];
  long (*special)(long number, long* args);
  long answer;
  const char* note;  // what else a user should know, or null
};

const SyscallRow& syscall_row(long number);

// Writes a line for each row to stdout: number, kind, note. What `anaphora doctor --syscalls` shows.
void list_syscalls();

}  // namespace ana
