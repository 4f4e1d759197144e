#include "runtime/host/order/callers.h"

#include "runtime/host/look.h"
#include "runtime/host/order/objects.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/threads.h"

namespace ana {
namespace {

constexpr int kMostFrames = 64;  // of wrappers that call each other

struct Frame {
  uint64_t above;  // where the caller's is
  uint64_t return_address;
};

bool is_wrapper(uint64_t pc) { return pc - g_session->wrappers < g_session->wrappers_bytes; }

// Of the first function that is no wrapper; 0 if a wrapper has not called us, or the chain leads nowhere.
uint64_t caller_of(const void* entered) {
  auto at = reinterpret_cast<uint64_t>(entered);
  Frame frame;
  for (int i = 0; i < kMostFrames && ana_look(reinterpret_cast<const void*>(at), &frame, sizeof(frame)); ++i) {
    if (!is_wrapper(frame.return_address)) return i ? original_code(frame.return_address) | kCalledFrom : 0;
    if (frame.above <= at) return 0;  // stacks grow downwards
    at = frame.above;
  }
  return 0;
}

// An entry that notes who called. Its own frame is the first of the chain.
template <auto entry>
struct Noting;
template <class Result, class... Arguments, Result (*entry)(Arguments...)>
struct Noting<entry> {
  static Result call(Arguments... arguments) {
    struct Noted {
      Slot& slot;
      ~Noted() { slot.caller = 0; }
    } noted{self()};
    noted.slot.caller = caller_of(__builtin_frame_address(0));
    return entry(arguments...);
  }
};

// Those of the runtime's own have none.
bool has_place(uint64_t site) {
  if (site <= kSiteOperation) return false;
  auto* record = reinterpret_cast<const AnaSite*>(site);
  return record->file || record->function || record->line;
}

}  // namespace

void note_callers(HostApi& api) {
  api.acquire = Noting<on_acquire>::call;
  api.object_acquire = Noting<object_acquire>::call;
  api.object_release = Noting<object_release>::call;
  api.section_enter = Noting<section_enter>::call;
  api.section_leave = Noting<section_leave>::call;
  api.tell = Noting<tell_from_program>::call;
  api.thread_prepare = Noting<thread_prepare>::call;
  api.thread_joined = Noting<thread_joined>::call;
}

uint64_t told_site(const Slot& slot, uint64_t site) { return slot.caller && !has_place(site) ? slot.caller : site; }

}  // namespace ana
