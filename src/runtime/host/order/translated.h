// Replay with --trace-all of a program that was compiled without --every-access, as stepping.h, but by a copy of the program's
// code that notes its references by itself (trace/translation.h). The program never runs its own code: jumps and breakpoints
// over it lead to the copy. Nothing that it can see is an address in the copy.
//
// The same is done with its libraries, each when its code is mapped, before anybody can run it. A library that is unmapped
// leaves its copy, for when it comes again; another may be at its place meanwhile.
//
// References are noted in a buffer of the thread's, and told when it is full, when anything else is told, and before others
// are let go on. Only then do they get a stamp, together: the access has been made, but nobody who comes after it in the
// recording has been let through, and whoever it comes after has told before he let this thread go on.
#pragma once
#include <signal.h>
#include <stdint.h>

#include "runtime/host/slot.h"

namespace ana {

extern const Translation* g_translation;  // the first
inline bool translating() { return __builtin_expect(g_translation != nullptr, 0); }

void translated_init();
// After the program has been mapped: puts its copy beside it. False if it has none.
bool translated_install();
// The same of a library, whose file has been mapped there, executable.
bool translated_install_library(const char* path, uint64_t at, uint64_t bytes);
// What was there is mapped no more.
void translated_forget(uint64_t begin, uint64_t end);
// The slot's buffer. False if there is no memory for it.
bool translated_map(Slot& slot);

// Only some accesses are told, with the calls that led to them (trace/looks.h); if this is one of them.
bool looking();
void look_at_access(Slot& slot, const AnaRange& range, uint64_t site);

// Tells what the thread's code has noted.
void tell_noted(Slot& slot);
// Before something else is told, and where the recording has an edge: what has been noted comes first.
void settle_noted(Slot& slot);

// For races a thread tells the same accesses once in each of its epochs (docs/races.md). A new one begins.
void end_told_epoch(Slot& slot);
// What becomes of an event of the thread's that orders something (trace/order_entries.h).
struct Turn {
  bool told = true, counted = false;
  bool ends_epoch = true;  // if it releases something
  bool comes_again = true;  // of an atomic access: its instruction will certainly tell it as well
};
// Of a check, which the code has counted if it may be left out; of anything else that is counted.
Turn turn_of_check(Slot& slot);
Turn next_turn(Slot& slot);
// It has told that memory has no past. What was told of it counts no more, whoever told it: for this thread at once,
// for others when they have come after it, which they do by an edge. By lines only those that lie in it whole lose theirs
// (analysis/race_detector.h), so that small blocks mean nothing to what is told of plain accesses.
void note_cleared(Slot& slot, uint64_t address = 0, uint64_t bytes = ~0ull);

// Whether the site is of code that has been translated.
bool translation_has(uint64_t site);
// A fault of noting in a full buffer: it has been emptied, and the instruction may be executed again.
bool is_full_buffer(const siginfo_t& info, void* context);
// Addresses of code as the program knows them, and back; others are left as they are.
uint64_t original_code(uint64_t pc);
uint64_t translated_code(uint64_t pc);

}  // namespace ana
