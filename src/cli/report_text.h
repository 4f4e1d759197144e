// The runtime says in numbers why it stopped a program (Report in session.h); here it becomes sentences.
#pragma once
#include <string>
#include <vector>

#include "cli/sites.h"
#include "trace/manifest.h"
#include "trace/replay_session.h"

namespace ana {

// What happened, where, and what to do.
std::string describe_report(const Report& report, const std::vector<SlotSummary>& slots, SiteResolver& sites);

// Where each slot stands, one per line, for a replay that hangs.
std::string describe_slots(const std::vector<SlotSummary>& slots, SiteResolver& sites);

// "exit status 3", "signal 11 (Segmentation fault)"
std::string describe_end(const ProgramEnd& end);

}  // namespace ana
