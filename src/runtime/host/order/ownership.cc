#include "runtime/host/order/ownership.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/host/order/dozing.h"
#include "runtime/host/order/giving.h"
#include "runtime/host/order/granting.h"
#include "runtime/host/order/whole_page.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/stream.h"

namespace ana {
namespace {

constexpr int kMissesUntilPage = 4;  // of a thread's own lines; see walk_on()
constexpr int kTriesBeforeToken = 3;
constexpr uint32_t kLinesToPrefetch = 8;
constexpr timespec kLongestSleep{0, 1'000'000};

SpinLock g_token;

// The permission is read before the epoch: see invariant 2.
bool is_live(const Slot& slot, uint32_t line, bool write) {
  uint32_t until = load(slot.permissions[line].until[write]);
  return until >= epoch_of(slot);
}

// The last epoch in which `slot` may have used the line. The permission is read before the generation, so that a
// table being cleared can only make the answer too late.
LongEpoch last_use(const Slot& slot, uint32_t line, bool write) {
  uint32_t until = load(slot.permissions[line].until[write]);
  return long_epoch(load(slot.generation), until);
}

void ask(Slot& owner) {
  if (!is_asked(owner))
    __atomic_store_n(&owner.shared->limit, 0, __ATOMIC_RELEASE);
}

// Until `owner` has served somebody, or for a millisecond. What this thread has is lost, like in a yield.
template <class GoesOn>
void sleep_until_served(Slot& slot, Slot& owner, GoesOn goes_on) {
  block_enter(slot, SlotState::kWaiting);
  uint32_t served = load(owner.served);
  __atomic_add_fetch(&owner.sleepers, 1, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&owner.blocked, __ATOMIC_ACQUIRE) && goes_on())
    raw(SYS_futex, &owner.served, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, served, &kLongestSleep);
  __atomic_sub_fetch(&owner.sleepers, 1, __ATOMIC_RELAXED);
  block_exit(slot);
  slot.shared->status.state = static_cast<uint32_t>(SlotState::kWaiting);
}

// A wait for another thread. The status tells the tool where the thread stood if the program dies meanwhile.
class Waiting {
 public:
  Waiting(Slot& slot, uint64_t site)
      : slot_(slot), status_(slot.shared->status), before_(status_.state), since_(timestamp()) {
    status_.wait_site = site;
    status_.state = static_cast<uint32_t>(SlotState::kWaiting);
    ++status_.waits;
    __atomic_store_n(&slot.waits, true, __ATOMIC_RELAXED);
  }
  ~Waiting() {
    slot_.tenure.prolong(since_, timestamp());
    __atomic_store_n(&slot_.waits, false, __ATOMIC_RELAXED);
    status_.state = before_;
  }
  uint64_t since() const { return since_; }

  // Spins on, or sleeps until `owner` serves somebody. `goes_on`: whether there is still something to wait for. True if it
  // slept. The holder of the token keeps what it has; and who is frozen for a fork stands at a poll or an operation.
  template <class GoesOn>
  bool pass_time(Slot& owner, GoesOn goes_on) {
    if (!SpinLock::back_off(tries_) || slot_.keeps || g_session->records_forks) return false;
    uint64_t now = timestamp();
    if (!should_sleep(slot_.tenure.cost(), owner.tenure.left(now), now - since_)) return false;
    sleep_until_served(slot_, owner, goes_on);
    return true;
  }

 private:
  Slot& slot_;
  SlotStatus& status_;
  uint32_t before_;  // the state
  uint64_t since_;
  int tries_ = 0;
};

bool post_request(Slot& owner, uint32_t line) {
  bool posted = false;
  owner.lock.lock();
  if (!owner.blocked && owner.requests < kMaxRequests) {
    owner.request[owner.requests++] = line;
    posted = true;
  }
  owner.lock.unlock();
  return posted;
}

bool still_posted(Slot& owner, uint32_t line) {
  bool found = false;
  owner.lock.lock();
  for (uint32_t i = 0; i < owner.requests; ++i) found |= owner.request[i] == line;
  owner.lock.unlock();
  return found;
}

// Returns when `owner` has no live permission on the line. True if this thread yielded meanwhile.
bool wait_for_line(Slot& slot, Slot& owner, uint32_t line, uint64_t site) {
  Waiting waiting(slot, site);
  bool yielded = false, posted = false;
  auto is_held = [&] { return is_live(owner, line, false) || is_live(owner, line, true); };
  while (is_held()) {
    if (__atomic_load_n(&owner.blocked, __ATOMIC_ACQUIRE)) {
      owner.lock.lock();
      if (owner.blocked) demote(owner, line, owner.epoch - kMoments);
      owner.lock.unlock();
      continue;
    }
    if (!posted) posted = post_request(owner, line);
    if (!is_asked(owner)) {
      if (posted && !still_posted(owner, line)) posted = post_request(owner, line);
      ask(owner);
    }
    yielded |= yield_if_asked(slot);
    yielded |= waiting.pass_time(owner, is_held);
  }
  slot.tenure.note_won(line, waiting.since(), timestamp());
  return yielded;
}

// Returns when no other thread is to get the line first. True if this thread yielded meanwhile.
bool wait_for_turn(Slot& slot, uint32_t line, uint64_t site) {
  Waiting waiting(slot, site);
  bool yielded = false;
  auto whose = [&] { return LineWord(__atomic_load_n(line_table() + line, __ATOMIC_RELAXED)).next(); };
  for (;;) {
    uint32_t next = whose();
    if (!next || next == slot.id + 1) return yielded;
    yielded |= yield_if_asked(slot);
    yielded |= waiting.pass_time(g_slots[next - 1], [&] { return whose() == next; });
  }
}

// The thread whose live permission forbids the access, or null. Under the line's lock.
Slot* conflicting_owner(Slot& slot, LineWord word, uint32_t line, bool write) {
  if (word.writer() && word.writer() != slot.id + 1) {
    Slot& writer = g_slots[word.writer() - 1];
    if (is_live(writer, line, true)) return &writer;
  }
  if (!write) return nullptr;
  if (word.many_readers()) {
    for (uint32_t i = 0, n = slots_used(); i < n; ++i)
      if (i != slot.id && is_live(g_slots[i], line, false)) return &g_slots[i];
  } else if (word.reader() && word.reader() != slot.id + 1) {
    Slot& reader = g_slots[word.reader() - 1];
    if (is_live(reader, line, false)) return &reader;
  }
  return nullptr;
}

void depend_on(Slot& slot, Slot& source, LongEpoch epoch, uint64_t site) {
  if (epoch == 0) return;  // never used
  ++slot.shared->status.dependences;
  if (!covers(slot, source, epoch)) take_order_from(slot, source, site);
}

// Netzer '93, Fig. 2: a write is checked against the readers before the writer.
void log_dependences(Slot& slot, LineWord word, uint32_t line, bool write, uint64_t site) {
  if (write && word.many_readers()) {
    for (uint32_t i = 0, n = slots_used(); i < n; ++i)
      if (i != slot.id) depend_on(slot, g_slots[i], last_use(g_slots[i], line, false), site);
  } else if (write && word.reader() && word.reader() != slot.id + 1) {
    Slot& reader = g_slots[word.reader() - 1];
    depend_on(slot, reader, last_use(reader, line, false), site);
  }
  if (word.writer() && word.writer() != slot.id + 1) {
    Slot& writer = g_slots[word.writer() - 1];
    depend_on(slot, writer, last_use(writer, line, true), site);
  }
}

// Takes up to `count` lines of a split page from `line` on, upwards or downwards, that have the users of the one
// taken last, as far as that needs neither a wait nor an edge. Who does not come there after all costs somebody a
// wait, but what is granted here is granted like any other. Returns how many there are.
uint32_t guess(Slot& slot, Page& page, uint32_t line, int step, uint32_t count, LineWord like, bool write) {
  LineRun run(slot, page, write);
  uint32_t done = 0;
  for (; done < count; line += step, ++done) {
    if (slot.permissions[line].until[write] >= slot.epoch) continue;
    LineWord word = page.word(line);
    if (!word.has_users_of(like) || !run.take(line, word)) break;
  }
  return done;
}

void prefetch(const Slot& slot, uint32_t first, uint32_t last, LineWord like) {
  uint32_t me = slot.id + 1;
  uint32_t other = like.writer() && like.writer() != me ? like.writer() : like.reader() != me ? like.reader() : 0;
  constexpr uint32_t kStep = 64 / sizeof(Permission);
  for (uint32_t line = first & ~(kStep - 1); line <= last; line += kStep) {
    __builtin_prefetch(line_table() + line, 1);
    __builtin_prefetch(slot.permissions + line, 1);
    if (other) __builtin_prefetch(g_slots[other - 1].permissions + line);
  }
}

RecentPage& recent_page(Slot& slot, uint32_t page, bool write) {
  return slot.recent[(page << 1 | write) * 0x9e3779b1u >> (32 - kRecentPageBits)];
}

bool is_known(const Slot& slot, const RecentPage& recent, uint32_t page) {
  return recent.page == page && recent.epoch == slot.epoch;
}

constexpr uint64_t lines_of_page(uint32_t first, uint32_t last) { return ~0ull >> (63 - last) & ~0ull << first; }
uint32_t ones_from(uint64_t mask, uint32_t at) { return at > 63 ? 0 : ~(mask >> at) ? __builtin_ctzll(~(mask >> at)) : 64; }
uint32_t ones_up_to(uint64_t mask, uint32_t at) {
  uint64_t top = ~(mask << (63 - at));
  return top ? __builtin_clzll(top) : 64;
}

// Lines [first, last] of a page have been missing and were taken. If the thread has missed their neighbours in this
// epoch as well, it is walking, and gets as many again as it has walked over, within the page: so what it does not need is
// not more than what it does. Lines that nobody else has used since it wrote them cost nobody anything; of these it gets
// the page's once it has missed some.
void walk_on(Slot& slot, Page& at, uint32_t first, uint32_t last, LineWord like, bool write) {
  uint32_t page = at.number(), base = at.first();
  RecentPage& recent = recent_page(slot, page, write);
  if (!is_known(slot, recent, page)) recent = {page, slot.epoch, 0};
  uint32_t low = first - base, high = last - base;
  recent.lines |= lines_of_page(low, high);
  bool all = is_alone(slot, like) && __builtin_popcountll(recent.lines) >= kMissesUntilPage;
  // Upwards, where the walk may have come from the page before.
  uint32_t below = ones_up_to(recent.lines, high), missed = high - low + 1;
  if (below == high + 1) {
    const RecentPage& before = recent_page(slot, page - 1, write);
    if (is_known(slot, before, page - 1)) below += ones_up_to(before.lines, 63);
  }
  uint32_t above = ones_from(recent.lines, low);
  if (above == kPageLines - low) {
    const RecentPage& after = recent_page(slot, page + 1, write);
    if (is_known(slot, after, page + 1)) above += ones_from(after.lines, 0);
  }
  auto least = [](uint32_t a, uint32_t b) { return a < b ? a : b; };
  uint32_t up = all ? 63 - high : below > missed ? least(below, 63 - high) : 0;
  uint32_t down = all ? low : above > missed ? least(above, low) : 0;
  if (at.is_fought_over()) up = down = 0;
  if (runs_alone(slot)) up = 63 - high, down = low;
  if (up) {
    prefetch(slot, last + 1, last + up, like);
    up = guess(slot, at, last + 1, 1, up, like, write);
    if (up) recent.lines |= lines_of_page(high + 1, high + up);
  }
  if (down) {
    prefetch(slot, first - down, first - 1, like);
    down = guess(slot, at, first - 1, -1, down, like, write);
    if (down) recent.lines |= lines_of_page(low - down, low - 1);
  }
  if (recent.lines == ~0ull) at.join();
}

// Locks the page for who takes its lines one by one.
void lock_lines(Page& page) {
  page.lock();
  if (page.is_whole()) page.split();
}

// Takes lines of one split page, which is locked; `before` is then the word that the last of them had. True if this
// thread yielded meanwhile. The holder of the token goes before those whose turn it would be: they may be waiting for
// what it keeps.
bool acquire_lines(Slot& slot, Page& page, uint32_t line, uint32_t last, bool write, uint64_t site, LineWord& before) {
  LineRun run(slot, page, write);
  bool yielded = false, is_run = line < last;
  while (line <= last) {
    if (slot.permissions[line].until[write] >= slot.epoch) {
      ++line;
      continue;
    }
    LineWord word = page.word(line);
    if (is_run && run.take(line, word)) {
      before = word;
      ++line;
      continue;
    }
    bool anothers_turn = word.next() && word.next() != slot.id + 1;
    if (anothers_turn && !slot.keeps) {
      page.unlock();
      yielded |= wait_for_turn(slot, line, site);
      lock_lines(page);
      continue;
    }
    if (Slot* owner = conflicting_owner(slot, word, line, write)) {
      if (!anothers_turn) page.set_word(line, word.with_next(slot.id + 1));
      page.note_conflict();
      page.unlock();
      yielded |= wait_for_line(slot, *owner, line, site);
      lock_lines(page);
      continue;
    }
    log_dependences(slot, word, line, write, site);
    before = word;
    page.set_word(line, grant(slot, anothers_turn ? word : word.with_next(0), line, write));
    ++line;
  }
  page.note_peace();
  return yielded;
}

// Takes lines of one page, of which the first is missing.
bool acquire_in_page(Slot& slot, uint32_t first, uint32_t last, bool write, uint64_t site) {
  Page page(first);
  page.lock();
  ++slot.taken;
  bool yielded = false;
  if (!page.is_whole() || !take_in_whole_page(slot, page, first, last, write)) {
    if (page.is_whole()) page.split();
    else if (last > first + kLinesToPrefetch) prefetch(slot, first, last, page.word(first));
    LineWord before(0);
    yielded = acquire_lines(slot, page, first, last, write, site, before);
    if (!yielded) walk_on(slot, page, first, last, before, write);
  }
  page.unlock();
  return yielded;
}

// The first of the lines [l, last] that is not valid, or last + 1.
uint64_t first_missing(const Slot& slot, uint64_t l, uint64_t last, bool write) {
  const Permission* permissions = slot.permissions;
  uint32_t epoch = slot.epoch;
  while (l <= last && permissions[l & ANA_LINE_MASK].until[write] >= epoch) ++l;
  return l;
}

// Acquires what is not valid of the ranges. True if the thread yielded: what was valid before may be lost again.
bool acquire_missing(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  bool yielded = false;
  for (uint32_t i = 0; i < count; ++i) {
    bool write = ranges[i].first & ANA_RANGE_WRITE;
    uint64_t l = (ranges[i].first & ~ANA_RANGE_WRITE) >> ANA_LINE_SHIFT, last = ranges[i].last >> ANA_LINE_SHIFT;
    for (l = first_missing(slot, l, last, write); l <= last; l = first_missing(slot, l, last, write)) {
      uint64_t end = l | (kPageLines - 1);
      if (end > last) end = last;
      yielded |= acquire_in_page(slot, static_cast<uint32_t>(l & ANA_LINE_MASK),
                                 static_cast<uint32_t>(end & ANA_LINE_MASK), write, site);
      l = end + 1;
    }
  }
  return yielded;
}

void watch(Slot& slot, const AnaRange* ranges, uint32_t count) {
  bool writes = false;
  for (uint32_t i = 0; i < count; ++i) writes |= (ranges[i].first & ANA_RANGE_WRITE) != 0;
  slot.idling.see(writes);
  if (!slot.idling.is_watched()) set_checked_epoch(slot);
}

void take_token(Slot& slot) {
  for (int n = 0; !g_token.try_lock(); SpinLock::back_off(n)) yield_if_asked(slot);
  slot.keeps = true;
}

}  // namespace

void acquire_set(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  SlotStatus& status = slot.shared->status;
  ++status.slow_checks;
  // Who is killed in here has not come to what it wants the lines for, and a replay is to stop it before that, too.
  status.wait_site = site;
  __atomic_store_n(&status.state, static_cast<uint32_t>(SlotState::kWaiting), __ATOMIC_RELEASE);
  slot.comes_back = false;
  if (__builtin_expect(slot.idling.is_watched(), 0)) watch(slot, ranges, count);
  for (int tries = 1; acquire_missing(slot, ranges, count, site); ++tries)
    if (tries == kTriesBeforeToken) take_token(slot);
  if (slot.keeps) {
    slot.keeps = false;
    g_token.unlock();
  }
  slot.tenure.note_check(slot.comes_back);
  status.checked_count = slot.shared->count;
  status.checked_site = site;
  __atomic_store_n(&status.state, static_cast<uint32_t>(SlotState::kRunning), __ATOMIC_RELEASE);
  look_for_signals(slot);
}

void ownership_forked(Slot& slot) {
  g_token = SpinLock();
  slot.keeps = false;
  for (uint32_t i = 0, n = slots_used(); i < n; ++i) {
    Slot& other = g_slots[i];
    if (i == slot.id || other.life != ThreadLife::kAlive) continue;
    other.lock = SpinLock();
    other.keeps = other.at_poll = false;
    give_up_all(other);
    other.blocked = 1;
  }
}

void take_order_from(Slot& slot, Slot& source, uint64_t site) {
  const Published& p = source.published;
  uint32_t n = slots_used();
  uint64_t moment, count, edges;
  for (;;) {
    uint32_t sequence = __atomic_load_n(&p.sequence, __ATOMIC_ACQUIRE);
    moment = __atomic_load_n(&p.moment, __ATOMIC_RELAXED);
    count = __atomic_load_n(&p.count, __ATOMIC_RELAXED);
    edges = __atomic_load_n(&p.edges, __ATOMIC_RELAXED);
    // Values only grow, so joining some of a publication that is being replaced is harmless: the edge that is logged
    // in the end comes from the later one, which covers them.
    for (uint32_t i = 0; i < n; ++i) {
      LongEpoch theirs = __atomic_load_n(&p.clock[i], __ATOMIC_RELAXED);
      if (theirs > slot.clock[i]) slot.clock[i] = theirs;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!(sequence & 1) && __atomic_load_n(&p.sequence, __ATOMIC_RELAXED) == sequence) break;
    pause();
  }
  if (moment > slot.clock[source.id]) slot.clock[source.id] = moment;
  slot.clock_changed = true;
  log_edge(slot, site, source.id, count, edges);
  rouse(source);
}

void wait_for_moment(Slot& slot, Slot& source, LongEpoch moment) {
  auto is_over = [&] { return __atomic_load_n(&source.published.moment, __ATOMIC_ACQUIRE) >= moment; };
  if (is_over()) return;
  Waiting waiting(slot, 0);
  while (!is_over()) {
    __atomic_store_n(&source.awaited, 1, __ATOMIC_RELAXED);
    ask(source);
    yield_if_asked(slot);
    waiting.pass_time(source, [&] { return !is_over(); });
  }
}

}  // namespace ana
