// Taking lines of a page that is whole (page.h).
//
// It is done only if all users of the page are out of it and the thread's clock covers them, as far as their entries
// for the page tell: then nothing is waited for or logged, and what is granted could have been granted line by line.
// A page that goes from hand to hand, to be written, goes as a whole, so that who comes next finds in one thread's
// permissions all that came before. Otherwise the thread gets what it asks for, and once it has come back to the
// page, all of it.
#pragma once
#include "runtime/host/order/page.h"

namespace ana {

// Lines [first, last] of `page`, which is locked and whole. False if the page must be split for that.
bool take_in_whole_page(Slot& slot, Page& page, uint32_t first, uint32_t last, bool write);

}  // namespace ana
