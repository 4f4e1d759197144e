/* Included before everything else of the linked part of the runtime: its code has a section of its own, so that it can be
 * told from the program's (trace/make_step_table.h). */
#pragma clang section text = "ana_runtime"
