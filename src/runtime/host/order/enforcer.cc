#include "runtime/host/order/enforcer.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/host/order/references.h"
#include "runtime/host/order/retracing.h"
#include "runtime/host/order/serial.h"
#include "runtime/host/order/slices.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/stream.h"
#include "runtime/host/threads.h"

namespace ana {
namespace {

// How long to look before sleeping: the other thread is near if it has a processor of its own. Who has looked in vain looks for
// shorter the next time, until a wait turns out to have been short. A tool that is told of everything needs a processor, too.
constexpr uint32_t kSpins = 3000, kSpinsWhenTold = 400, kFewestSpins = 50;

uint32_t most_spins() {
  uint32_t threads = threads_alive();
  if (threads > g_processors) return kFewestSpins;
  return threads == g_processors && tells_references() ? kSpinsWhenTold : kSpins;
}

// How many publications a slot has passed, and whether anybody sleeps on it.
struct alignas(64) Progress {
  uint32_t passed;
  uint32_t sleepers;
};
Progress g_progress[kMaxSlots];
uint32_t g_arrived;  // threads that have come to their ends
uint32_t g_enders;   // of these, threads that will end the program themselves

void pass(Slot& slot, uint64_t publications) {
  tell_noted(slot);
  slot.replay.next_publication = publications;
  Progress& progress = g_progress[slot.id];
  // Release the accesses before it; the exchange also orders it before the look at `sleepers`.
  __atomic_exchange_n(&progress.passed, static_cast<uint32_t>(publications), __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&progress.sleepers, __ATOMIC_SEQ_CST))
    raw(SYS_futex, &progress.passed, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30);
}

// Publications made after the edges taken so far, below the count.
void pass_below(Slot& slot, uint64_t below) {
  ReplayState& r = slot.replay;
  uint64_t n = r.next_publication;
  while (n < r.publication_count && r.publications[n].edges <= r.next_edge && r.publications[n].count < below) ++n;
  if (n != r.next_publication) pass(slot, n);
}

void wait_for(Slot& slot, const ScheduledEdge& edge) {
  Progress& progress = g_progress[edge.source];
  auto reached = [&] { return __atomic_load_n(&progress.passed, __ATOMIC_ACQUIRE) >= edge.publication; };
  if (reached()) return;
  uint32_t most = most_spins();
  uint32_t& limit = slot.replay.spins;
  uint32_t spins = serial() ? 1 : limit < kFewestSpins ? kFewestSpins : limit < most ? limit : most;
  uint64_t since = timestamp();
  for (uint32_t n = 0; n < spins; ++n) {
    pause();
    if (reached()) {
      limit = most;
      return;
    }
  }
  uint64_t looked = timestamp() - since;
  ++slot.shared->status.waits;
  slot.shared->status.wait_site = edge.site;
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kWaiting);
  while (serial() && !reached()) serial_wait(slot, &progress.passed, edge.publication, edge.source);
  __atomic_add_fetch(&progress.sleepers, 1, __ATOMIC_SEQ_CST);
  for (;;) {
    uint32_t now = __atomic_load_n(&progress.passed, __ATOMIC_SEQ_CST);
    if (now >= edge.publication) break;
    raw(SYS_futex, &progress.passed, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, now, nullptr);
  }
  __atomic_sub_fetch(&progress.sleepers, 1, __ATOMIC_SEQ_CST);
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kRunning);
  bool was_short = (timestamp() - since) * spins < looked * most;
  limit = was_short ? most : spins / 2;
}

void stop_at_count(Slot& slot) {
  DebugControl& debug = g_session->debug;
  if (debug.stop_slot != slot.id || slot.shared->count < debug.stop_count) return;
  debug.stop_slot = kNoSlot;
  debug_trap(DebugTrap::kCount, slot.shared->count);
}

// Sets limit and epoch for what comes next.
void arm(Slot& slot, uint64_t site) {
  ReplayState& r = slot.replay;
  uint64_t count = slot.shared->count, limit = kNoLimit;
  bool look_at_checks = r.final_count == count && r.final_site;
  // One that waited at an access is to look at checks from that count on; one that ran comes at most to the next poll.
  if (r.final_count != kNoLimit) limit = r.final_count + !(r.final_blocked || (r.final_site && count < r.final_count));
  if (r.next_edge < r.edge_count) {
    const ScheduledEdge& edge = r.edges[r.next_edge];
    if (edge.count < count) fatal(ReportKind::kDivergedOrder, "", edge.count, edge.site, site);
    if (edge.count == count) look_at_checks = true;
    if (edge.count < limit) limit = edge.count;
  }
  if (r.next_publication < r.publication_count) {
    const Publication& publication = r.publications[r.next_publication];
    if (publication.edges <= r.next_edge && publication.count + 1 < limit) limit = publication.count + 1;
  }
  if (r.next_signal < r.signal_count && r.signals[r.next_signal] < limit) limit = r.signals[r.next_signal];
  const DebugControl& debug = g_session->debug;
  if (debugged() && debug.stop_slot == slot.id && debug.stop_count < limit) limit = debug.stop_count;
  // Or every operation and every access of library code is to come here.
  bool every_event = slices_at_every_event() || retracing();
  if (every_event && count + 1 < limit) limit = count + 1;
  slot.shared->limit = limit;
  slot.shared->check_due = look_at_checks || every_event || g_session->full_check;
  slot.shared->epoch = slot.shared->check_due || tells_references();
}

// What the slot's present thread has: up to the next fork that left it behind, or to the end.
void choose_end(Slot& slot) {
  auto* header = reinterpret_cast<const ScheduleHeader*>(layout::kSchedule);
  const SlotSchedule& s = header->slot[slot.id];
  ReplayState& r = slot.replay;
  if (r.next_cut < r.cut_count) {
    const ForkCut& cut = r.cuts[r.next_cut];
    r.edge_count = cut.edges;
    r.final_count = cut.count;
    r.final_site = cut.site;
    r.final_blocked = cut.blocked;
    return;
  }
  r.edge_count = s.edges;
  r.final_count = s.final_count;
  r.final_site = s.final_site;
  r.final_blocked = s.final_blocked;
}

// Another thread has forked here, and the child that is replayed does not have this one.
[[noreturn]] void leave_behind(Slot& slot) {
  ReplayState& r = slot.replay;
  const ForkCut& cut = r.cuts[r.next_cut];
  if (peek_op(slot) != kNoMoreValues) fatal(ReportKind::kLeftover, "", 0, 1);
  pass_below(slot, cut.count + 1);
  slot.shared->count = cut.count;
  go_to_value(slot, reinterpret_cast<const char*>(layout::kSchedule) + cut.values_after);
  ++r.next_cut;
  choose_end(slot);
  thread_vanish(slot);
}

// Of the sites at the final count, which all come here: whether the slot ends at this one. Takes note of the one behind which it
// is to end.
bool is_final_site(Slot& slot, uint64_t site) {
  ReplayState& r = slot.replay;
  if (!(r.final_site & kBehind)) return r.final_site && r.final_site == site;
  if (site <= kSiteOperation || peek_op(slot) != kNoMoreValues) return false;
  if (r.final_site == kBehind) return true;
  if (r.final_site == (kBehind | site)) r.final_site = kBehind;  // the next one
  return false;
}

}  // namespace

void enforcer_init(Slot& slot) {
  auto* header = reinterpret_cast<const ScheduleHeader*>(layout::kSchedule);
  auto* base = reinterpret_cast<const char*>(header);
  ReplayState& r = slot.replay;
  if (r.values) return;
  if (slot.id >= header->slots) {  // a recorder that was killed has saved nothing of it
    static constexpr ScheduledValue kNothing{0, kNoMoreValues, 0, 0};
    go_to_value(slot, reinterpret_cast<const char*>(&kNothing));
    return;
  }
  const SlotSchedule& s = header->slot[slot.id];
  r.edges = reinterpret_cast<const ScheduledEdge*>(base + s.edges_offset);
  r.publications = reinterpret_cast<const Publication*>(base + s.publications_offset);
  r.publication_count = s.publications;
  r.times = reinterpret_cast<const LamportJump*>(base + s.times_offset);
  r.time_count = s.times;
  r.crash_count = s.crash_count;
  go_to_value(slot, base + s.values_offset);
  r.values_end = r.values + s.values_bytes;
  r.consumers = reinterpret_cast<const uint32_t*>(base + s.consumers_offset);
  r.versions = reinterpret_cast<const uint8_t*>(base + s.versions_offset);
  r.versions_end = r.versions + s.versions_bytes;
  r.signals = reinterpret_cast<const uint64_t*>(base + s.signals_offset);
  r.signal_count = s.signals;
  r.cuts = reinterpret_cast<const ForkCut*>(base + s.cuts_offset);
  r.cut_count = s.cuts;
  choose_end(slot);
  arm(slot, 0);
}

void enforce_fork(Slot& slot) {
  while (!thread_is_alone(slot)) enforce_wait(slot);
}

void enforce(Slot& slot, uint64_t site, bool at_poll) {
  ReplayState& r = slot.replay;
  if (debugged()) stop_at_count(slot);
  if (retracing()) retrace_close(slot);
  pass_below(slot, slot.shared->count);
  if (g_session->slices) tell_slice(slot);
  bool traced = slices_at_every_event() && !at_poll;
  while (r.next_edge < r.edge_count && r.edges[r.next_edge].count == slot.shared->count &&
         r.edges[r.next_edge].site == site) {
    pass_below(slot, kNoLimit);  // the recorded thread had let these through before it waited
    wait_for(slot, r.edges[r.next_edge]);
    settle_noted(slot);
    ++r.next_edge;
    ++slot.shared->status.edges;
    traced = true;
  }
  if (g_session->slices && traced) wait_for_slices(slot, site);
  pass_below(slot, slot.shared->count);
  if (r.next_edge == r.edge_count) {
    bool past = slot.shared->count > r.final_count;
    if (past || (slot.shared->count == r.final_count && is_final_site(slot, site))) enforce_end(slot);
  }
  arm(slot, site);
}

void enforce_before_leaving(Slot& slot) {
  if (retracing()) retrace_close(slot);
  pass_below(slot, slot.shared->count + 1);
  arm(slot, 0);
}

void enforce_wait(Slot& slot) {
  constexpr timespec kMoment{0, 50'000};
  enforce_before_leaving(slot);
  if (slot.replay.final_blocked && is_at_end(slot)) enforce_end(slot);
  if (serial()) return serial_yield(slot);
  raw(SYS_nanosleep, &kMoment, nullptr);
}

bool is_at_end(const Slot& slot) {
  const ReplayState& r = slot.replay;
  return r.next_edge == r.edge_count && slot.shared->count >= r.final_count && peek_op(slot) == kNoMoreValues;
}

bool crashed_here(const Slot& slot) {
  const ReplayState& r = slot.replay;
  return slot.shared->count == r.crash_count && r.next_edge == r.edge_count && peek_op(slot) == kNoMoreValues;
}

void enforce_end(Slot& slot) {
  ReplayState& r = slot.replay;
  if (r.final_count == kNoLimit)
    fatal(ReportKind::kLeftover, "the thread does more than was recorded", r.edge_count - r.next_edge, 0);
  // Where the recorder was killed, what was saved may end with some of what a thread did at a count.
  if (has_passed_value(slot) && g_session->end_signal != SIGKILL)
    fatal(ReportKind::kLeftover, "", r.edge_count - r.next_edge, 1);
  if (retracing()) retrace_close(slot);
  thread_abandon(slot);
  if (r.next_cut < r.cut_count) leave_behind(slot);
  pass(slot, r.publication_count);
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kParked);
  __atomic_store_n(&slot.blocked, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&g_arrived, 1, __ATOMIC_SEQ_CST);
  enforce_program_end();
  park_forever();
}

void enforce_program_end() {
  static uint32_t ending;
  bool all = __atomic_load_n(&g_arrived, __ATOMIC_SEQ_CST) == threads_alive();
  if (!all || __atomic_load_n(&g_enders, __ATOMIC_SEQ_CST)) return;
  if (!__atomic_exchange_n(&ending, 1, __ATOMIC_SEQ_CST)) end_as_recorded();
}

bool others_have_ended() { return __atomic_load_n(&g_arrived, __ATOMIC_SEQ_CST) + 1 >= threads_alive(); }

void enforce_others_end(Slot& slot) {
  if (retracing()) retrace_close(slot);
  pass(slot, slot.replay.publication_count);
  __atomic_add_fetch(&g_enders, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&g_arrived, 1, __ATOMIC_SEQ_CST);
  for (int n = 0; __atomic_load_n(&g_arrived, __ATOMIC_SEQ_CST) < threads_alive();) SpinLock::back_off(n);
}

}  // namespace ana
