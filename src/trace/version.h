// The versions that a trace and the tool carry. The version of the bytes inside streams is kStreamVersion in session.h.
#pragma once
#include <stdint.h>

namespace ana {

constexpr const char* kToolVersion = ANAPHORA_VERSION;
// Of manifest.json and of the framing of `streams`. Bump it when an old tool would misread a new trace.
constexpr uint32_t kTraceFormat = 1;

}  // namespace ana
