// A picture as a trace for Perfetto and Chrome's about:tracing, in their JSON format: a slice for each event, one
// around all of each lane, and flows for what came after what. The trace has no clock: a microsecond there is a place
// in the order here.
#pragma once
#include <string>

#include "view/picture.h"

namespace ana::view {

std::string to_perfetto(const Picture& picture);

}  // namespace ana::view
