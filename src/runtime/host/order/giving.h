// How a thread lets others have what it owns: it publishes what it has done, and then ends its epoch or lowers the permissions
// that were asked for. The functions that others call are in ownership.h, the rules when in tenure.h; here is what
// those who take lines need.
#pragma once
#include "runtime/host/order/permissions.h"

namespace ana {

// A request for a line demotes its page: first the lines, then what bounds them. Where threads fight over the page, the
// line alone. By the owner or, under the owner's lock, for one that is blocked. `last_use`: as late as any use of the
// lines.
void demote(Slot& owner, uint32_t line, uint32_t last_use);

// What the thread's checks compare with.
void set_checked_epoch(Slot& slot);

// Somebody has asked. If the owner plans another limit just now, who asks looks again soon.
bool is_asked(const Slot& owner);

}  // namespace ana
