// Descriptors that are the stdout or the stderr with which the program was started: what is written to them is written
// again in replay. Known by following dup and close, in record and replay alike.
#pragma once

namespace ana {

// 1 or 2, or 0 if `fd` is neither.
int shown_as(long fd);
// Whether what is done to `fd` has a place in the order of outputs: it is shown, or it may become so.
bool is_output(long fd);
void shown_duplicate(long from, long to);
void shown_close(unsigned first, unsigned last);

}  // namespace ana
