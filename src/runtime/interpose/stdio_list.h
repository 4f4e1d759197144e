// The open files, for those who go through all of them: fflush(NULL).
//
// glibc's own walk locks each FILE in turn, in an order of its own, while another thread may stand in a section on one of
// them with its lock held and wait for a turn: a replay would stop there. So the list is kept here, inside kLibc, and
// each file of it is flushed in its section.
//
// Hosted only. From the wrappers, on any thread, in no section on a FILE other than the one concerned.
#pragma once
#include <stdio.h>

namespace ana {

// Inside kLibc. `f` may be null.
FILE* add_open_file(FILE* f);
void remove_open_file(FILE* f);

// As fflush(NULL).
int flush_all_files();

}  // namespace ana
