// The allocator that every program built with Anaphora uses: the malloc family with the same addresses in every run.
//
// Its parts, from the bottom:
//   heap_classes.h  size classes: pure values
//   heap_region.h   address space and the table of spans
//   heap_pool.h     what threads share, ordered: batches of free blocks, segments, large blocks
//   heap_slot.h     what a thread has for itself: the fast path
//   allocator.cc    malloc, free and the rest
//
// Invariants: an address depends only on the calls of its slot's threads and on the recorded order of PoolSections. No
// block holds any byte of the allocator's, and a freed block is not written until it is allocated again and the program
// or calloc() writes it. A block from malloc is exactly the start of a block of its class, so a wrong pointer is
// noticed: free() of it ends the program with a message.
//
// operator new and delete are not defined here: those of the C++ library call malloc and free, which is all that is
// needed for the same addresses, and a program's own ones keep working, as do new-handlers and std::bad_alloc.
#pragma once
#include <stddef.h>

namespace ana {

// Whether `p` is what the allocator has handed out or may hand out; for diagnostics.
bool owns_block(const void* p);

}  // namespace ana
