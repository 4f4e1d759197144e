// Puts the events of a picture in one order that respects every lane and every "came after". The trace has no clock, so
// how far threads were apart is estimated: an event is as late as the longest chain of work before it, in counts.
#pragma once
#include "trace/load_schedule.h"
#include "trace/result.h"
#include "view/picture.h"

namespace ana::view {

// Sets `at` of every event: 0, 1, 2, ... An error if events wait for each other in a circle, which no execution does.
Status put_in_order(Picture& picture, const Progress& progress);

}  // namespace ana::view
