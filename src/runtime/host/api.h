// The host's table of functions for the linked part of the runtime (runtime/host_api.h).
#pragma once
#include <stdint.h>

namespace ana {

// Puts it at layout::kHostApi.
void api_init();

}  // namespace ana
