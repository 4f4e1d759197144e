// Traces order accesses to lines of 64 bytes and do not say which bytes it was about. A file of all references of the
// same execution (`anaphora replay -a --trace-all=FILE`) does: here each edge at an access learns its address, and
// whether both threads used the same bytes or only neighbours in a line (false sharing).
#pragma once
#include <string>

#include "trace/load_schedule.h"
#include "trace/result.h"
#include "view/picture.h"

namespace ana::view {

// The lanes of the picture are the slots of the references. Edges whose access is not in the file stay unknown.
Status find_sharing(const std::string& references, Picture& picture, const Progress& progress);

}  // namespace ana::view
