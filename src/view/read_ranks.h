// From the recording of an MPI job to lanes: one for each thread of a rank that called MPI, with the messages that it
// got and the answers that varied. Sends are not recorded, so a message knows the lane that it came from, not the
// event.
#pragma once
#include <vector>

#include "trace/rank_trace.h"
#include "view/picture.h"

namespace ana::view {

Status add_ranks(const std::vector<RankTrace>& ranks, Picture& picture);

}  // namespace ana::view
