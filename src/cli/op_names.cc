#include "cli/op_names.h"

#include <fmt/format.h>

#include "trace/stream_format.h"

namespace ana {

namespace {

struct Named {
  uint64_t number;
  const char* name;
};

constexpr Named kSyscalls[] = {
#include "syscall_names.inc"
};

constexpr Named kRuntimeOps[] = {
    {kOpProgram, "program"},         {kOpInitialStack, "initial-stack"}, {kOpStackHeader, "stack-header"},
    {kOpCreate, "create"},           {kOpThreadStart, "thread-start"},   {kOpThreadEnd, "thread-end"},
    {kOpOutcome, "outcome"},         {kOpElfMapping, "elf-mapping"},     {kOpFileMapping, "file-mapping"},
    {kOpInstruction, "instruction"}, {kOpLibrary, "library-call"},       {kOpAccesses, "accesses"},
    {kOpEnd, "end"},                 {kOpVersions, "versions"},       {kOpSignal, "signal"},
    {kOpInitialise, "initialise"},   {kOpKeptFile, "kept-file"},        {kOpKeptRead, "kept-read"},
    {kOpPrinted, "printed"},
};

const Named* find_syscall(uint64_t number) {
  for (const Named& call : kSyscalls) {
    if (call.number == number) return &call;
  }
  return nullptr;
}

}  // namespace

std::string syscall_name(uint64_t number) {
  const Named* call = find_syscall(number);
  return call != nullptr ? call->name : fmt::format("system call {}", number);
}

bool is_syscall(uint64_t number) { return find_syscall(number) != nullptr; }

std::string op_name(uint32_t op) {
  if (op < kFirstRuntimeOp) return syscall_name(op);
  for (const Named& named : kRuntimeOps) {
    if (named.number == op) return named.name;
  }
  return fmt::format("operation {}", op);
}

}  // namespace ana
