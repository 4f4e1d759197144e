// From a trace to a picture of it, for `anaphora view` and `anaphora export`.
#pragma once
#include <string>

#include "trace/result.h"
#include "view/picture.h"

namespace ana {

// Reads `trace` (a path, of threads or of an MPI job) with progress on a terminal. `bytes`: of each value, at most.
// `references`: a file of `replay --trace-all` of this trace, which tells what is shared falsely; or empty.
Result<view::Picture> draw(const std::string& trace, size_t bytes, const std::string& references = "");

}  // namespace ana
