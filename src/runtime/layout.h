// Where everything lies in a recorded or replayed process. The same in every run: addresses are part of the execution.
//
// Lines are numbered modulo 2^31 (128 GiB of addresses), so the regions start at different offsets modulo 128 GiB: a hot
// stack, the heap and the globals of a program then never share a line by accident.
#pragma once
#include <stdint.h>

namespace ana::layout {

constexpr uint64_t kGiB = 1ull << 30;

constexpr uint64_t kHost = 0x70000000;                     // the host's image (linked there)
constexpr uint64_t kHostBytes = 192 << 20;                 // at most, which the linker checks (host/extent.ld)

constexpr uint64_t kHeap = 0x500000000000 + 64 * kGiB;     // the allocator's pages
constexpr uint64_t kHeapBytes = 1ull << 42;
constexpr uint64_t kHeapInfo = 0x580000000000;             // the allocator's own tables, never seen by programs
constexpr uint64_t kHeapInfoBytes = 1ull << 40;
constexpr uint64_t kProgram = 0x555555554000;              // PIE programs, where Linux without ASLR puts them
constexpr uint64_t kInterpreter = 0x5f0000000000 + 112 * kGiB;
constexpr uint64_t kInterpreterBytes = 1ull << 20;
constexpr uint64_t kMainStack = 0x600000000000;
constexpr uint64_t kMainStackBytes = 64ull << 20;          // reserved; as large as RLIMIT_STACK allows, at most this
constexpr uint64_t kThreadStacks = 0x620000000000;         // slot i at + i*kThreadStackStride
constexpr uint64_t kThreadStackStride = 64ull << 20;
constexpr uint64_t kBreak = 0x610000000000 + 48 * kGiB;    // brk(2), emulated
constexpr uint64_t kBreakBytes = 1ull << 30;
constexpr uint64_t kMappings = 0x100000000000 + 96 * kGiB; // mmap(2): slot i from + i*kMappingsStride
constexpr uint64_t kMappingsStride = 16 * kGiB;
constexpr uint64_t kPatchesBytes = 16 << 20;               // trampolines (syscalls/patches.h): below kProgram and
                                                           // kInterpreter and each slot's mappings, above the host
constexpr uint64_t kLargeMappings = 0x210000000000;        // mappings larger than half a stride, in recorded order
constexpr uint64_t kLargeMappingsBytes = 1ull << 43;
constexpr uint64_t kLines = 0x680000000000;                // shared state of each line, 8 bytes
constexpr uint64_t kLinesBytes = 8ull << 31;
constexpr uint64_t kPages = kLines + kLinesBytes;          // and of each page
constexpr uint64_t kPagesBytes = kLinesBytes / 64;
constexpr uint64_t kSession = 0x6a0000000000;              // SessionHeader
constexpr uint64_t kHostApi = 0x6a8000000000;              // HostApi: in traces, so not where the linker puts it
constexpr uint64_t kOutsideProgram = 0x6c0000000000;       // MPI of a recorded rank (trace/outside.h); what it maps
constexpr uint64_t kOutsideInterpreter = 0x6c8000000000;   // is where the kernel likes, above all of this
constexpr uint64_t kOutsideStack = 0x6d0000000000;
constexpr uint64_t kOutsideStackBytes = 64ull << 20;
constexpr uint64_t kAboveAll = 0x700000000000;             // from here on nothing is the program's
constexpr uint64_t kSchedule = 0x6b0000000000;             // replay: the schedule file
constexpr uint64_t kSlots = 0x300000000000;                // slot i's gs base at + i*kSlotStride
constexpr uint64_t kSlotStride = (16 * kGiB) + (1ull << 30);

}  // namespace ana::layout
