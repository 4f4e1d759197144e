// The states of the model of the ownership protocol (ownership_model.h): what threads, lines and the page are like, and
// which states count as the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ana {

using u8 = uint8_t;
constexpr u8 kMaxThreads = 3, kMaxLines = 3;
constexpr u8 kLastEpoch = 12, kEpochs = 16;  // a permission may be one past the last epoch
constexpr u8 kTriesBeforeToken = 2;

// What an action does. Accesses come first: each a set of lines that are acquired together, then used one by one.
struct Item {
  u8 line;
  bool write;
  bool guess = false;           // taken if that needs neither a wait nor an edge, and not used
};
struct Action {
  const char* name;
  u8 count;
  Item items[2];
};
enum ActionId : u8 { kR0, kW0, kR1, kW1, kR2, kW2, kW0W1, kW1W0, kR0W1, kW0G1, kR1G0, kBlock, kGiveUp, kEndEpoch, kActions };
constexpr Action kAction[kActions] = {
    {"read 0", 1, {{0, false}}}, {"write 0", 1, {{0, true}}}, {"read 1", 1, {{1, false}}}, {"write 1", 1, {{1, true}}},
    {"read 2", 1, {{2, false}}}, {"write 2", 1, {{2, true}}}, {"write 0 and 1", 2, {{0, true}, {1, true}}},
    {"write 1 and 0", 2, {{1, true}, {0, true}}}, {"read 0, write 1", 2, {{0, false}, {1, true}}},
    {"write 0, guess 1", 2, {{0, true}, {1, true, true}}}, {"read 1, guess 0", 2, {{1, false}, {0, false, true}}},
    {"block", 0, {}}, {"give up all", 0, {}}, {"end epoch", 0, {}}};

enum Pc : u8 {
  kIdle, kAccess, kLock, kConflict, kDepend, kTakeOrder, kGrant, kWaitLook, kWaitAsk, kWaitStore, kTurn, kToken,
  kEndBegin, kPublish, kPublishEnd, kGive, kRaise, kClear, kSetEpoch, kEndDone, kBlocked, kDone, kPcs
};
constexpr const char* kPcName[kPcs] = {
    "begins", "accesses", "locks the line", "looks whether a user is live", "reads a last use",
    "takes order from a publication", "grants itself the line", "looks at the owner",
    "looks whether the owner is asked", "asks the owner", "waits for its turn", "tries the token",
    "serves requests", "publishes", "ends publishing", "gives lines",
    "leaves its epoch", "clears its table", "raises its epoch", "has ended its epoch", "wakes up", "is done"};

constexpr u8 kAsWriter = kMaxThreads;

// Why an epoch ends.
enum Why : u8 { kAsked, kToBlock, kToGiveUp, kToExit, kToHandOver };

enum class Mutation : u8 {
  kNone, kWriterKeepsLongerRead, kBlockedStaysSet, kEdgeSkipped, kRaisedBeforePublished, kSecondReaderForgotten,
  kBlocksInsideEpoch, kWaitsWithoutServing, kGuessWithoutOrder, kPageForLine, kPageBoundForgotten, kPageReaderForgotten,
  kPageJoinedUnlike, kSleepIsNoYield, kGivenBeforePublished, kCount
};
constexpr const char* kMutationName[] = {
    "none", "a write grant leaves a longer permission to read", "`blocked` stays set on a running thread",
    "an edge from a reader is not logged", "the epoch is raised before it is published",
    "a second reader is not noted in the line", "a thread blocks without ending its epoch",
    "a thread that waits does not serve those who wait for it", "a guess takes what the clock does not cover",
    "a page changes hands for one line of it", "a line is granted beyond what its page tells",
    "who writes a line of its page is no longer named as the reader of others",
    "lines are joined to a page although their users differ",
    "a thread that slept while it waited takes what it had for its own",
    "a line is given before what was done with it is published"};

struct Thread {
  u8 pc, back, why, last;       // `back`: where a yield returns to; `last`: the epoch being ended, or the moment
  u8 left, action, item, tries;
  u8 other;                     // thread + 1 that is waited for or depended on
  u8 todo;                      // users of the line to look at, a bit for each; kAsWriter: its last writer
  bool yielded, posted, keeps;
  bool gives;                   // lines, and goes on with its epoch
  bool whole;                   // looks at the users of the page instead of those of the line
  u8 epoch, generation, longest;
  u8 until[kMaxLines][2];
  u8 bound[2];                  // of the page: at least those of its lines
  bool blocked, asked, locked;
  u8 requests;                  // a bit per line
  u8 clock[kMaxThreads];        // long epochs, as the protocol keeps them
  u8 order[kMaxThreads];        // accesses of each thread that the log puts before; its own: made so far
  bool publishing;
  u8 published, published_clock[kMaxThreads], published_order[kMaxThreads];
};
struct Line {
  bool locked, many;
  u8 writer, reader, next;      // thread + 1
  u8 wrote[kMaxThreads], read[kMaxThreads];  // the ordinal of each thread's last access of this kind
};
struct Page {
  bool locked, split;
  Line word;                    // its users, if it is not split
};
struct State {
  Thread thread[kMaxThreads];
  Line line[kMaxLines];
  Page page;
  bool token;
};
static_assert(alignof(State) == 1);  // no padding: states are compared and hashed as bytes

struct Configuration {
  const char* name;
  u8 threads, lines;
  u8 actions[kMaxThreads];      // how many each thread does
  uint32_t menu;                // bits of ActionId
  bool wraps;                   // epochs start close to their end
  bool sleeps_long;             // who blocks stays so until the others are done or blocked
  bool paged = false;           // the lines are a page
  bool sleeps = false;          // who waits may sleep, which ends its epoch
};

inline u8 long_epoch(u8 generation, u8 epoch) { return generation * kEpochs + epoch; }
inline u8 larger(u8 a, u8 b) { return a > b ? a : b; }
inline void join(u8* to, const u8* from) {
  for (u8 i = 0; i < kMaxThreads; ++i) to[i] = larger(to[i], from[i]);
}
inline bool is_live(const Thread& t, u8 line, bool write) { return t.until[line][write] >= t.epoch; }
inline bool uses(const Thread& t, u8 line) { return is_live(t, line, false) || is_live(t, line, true); }
inline void demote(Thread& t, u8 epoch) {
  auto lower = [&](u8* permission) {
    for (u8 write : {0, 1})
      if (permission[write] > epoch) permission[write] = epoch;
  };
  for (auto& line : t.until) lower(line);
  lower(t.bound);
}

// The present epoch's number becomes the name of a moment in it, and the epoch and all that lasts as long get the next one:
// what counts is that the moment is before the epoch and after everything else. (The recorder leaves room instead.)
inline void name_moment(Thread& t) {
  t.last = t.epoch;
  auto move = [&](u8& number) { number += number >= t.last; };
  for (auto& line : t.until)
    for (u8& until : line) move(until);
  for (u8& until : t.bound) move(until);
  move(t.longest);
  ++t.epoch;
}

// Numbers matter only in comparison: epochs of a thread with each other and with what others know of them, accesses in
// the same way. So each scale is pressed together, which makes the states finite however often threads yield. Not where
// epochs wrap; there they are bounded by the number of actions.
constexpr u8 kPresent = 8;

inline void press_epochs(State& s, u8 u) {
  Thread& t = s.thread[u];
  bool is_use[2 * kEpochs] = {};
  is_use[t.epoch - 1] = true;  // what a blocked thread is demoted to
  for (auto& line : t.until)
    for (u8 until : line) is_use[until] = true;
  for (u8 until : t.bound) is_use[until] = true;
  u8 pressed[2 * kEpochs] = {};
  u8 rank = kPresent;
  for (u8 e = t.epoch; e < 2 * kEpochs; ++e) pressed[e] = kPresent + (e - t.epoch);
  for (u8 e = t.epoch - 1; e > 0; --e) {
    // Between two uses what is known covers the lower one; below all of them it covers none.
    u8 lower = e;
    while (lower && !is_use[lower]) --lower;
    if (lower == e) --rank;
    pressed[e] = lower == e ? rank : lower ? rank - 1 : 0;
  }
  for (auto& line : t.until)
    for (u8& until : line) until = pressed[until];
  for (u8& until : t.bound) until = pressed[until];
  t.longest = t.longest > t.epoch ? pressed[t.longest] : 0;
  if (t.last) t.last = pressed[t.last];
  t.published = pressed[t.published];
  for (Thread& v : s.thread) v.clock[u] = pressed[v.clock[u]], v.published_clock[u] = pressed[v.published_clock[u]];
  t.epoch = kPresent;
}

inline void press_order(State& s, u8 u) {
  bool is_access[64] = {};
  for (const Line& line : s.line) is_access[line.wrote[u]] = is_access[line.read[u]] = true;
  u8 pressed[64] = {};
  for (u8 i = 1; i < 64; ++i) pressed[i] = pressed[i - 1] + is_access[i];
  for (Line& line : s.line) line.wrote[u] = pressed[line.wrote[u]], line.read[u] = pressed[line.read[u]];
  for (Thread& v : s.thread) v.order[u] = pressed[v.order[u]], v.published_order[u] = pressed[v.published_order[u]];
}

// Threads have no names: of the states that differ only by them one is kept, with the threads sorted by what they are
// at.
inline void sort_threads(State& s, u8 threads) {
  u8 at[kMaxThreads] = {0, 1, 2};
  constexpr size_t kOwn = offsetof(Thread, clock);
  auto less = [&](u8 a, u8 b) { return memcmp(&s.thread[a], &s.thread[b], kOwn) < 0; };
  for (u8 i = 1; i < threads; ++i)
    for (u8 k = i; k > 0 && less(at[k], at[k - 1]); --k) std::swap(at[k], at[k - 1]);
  if (at[0] == 0 && at[1] == 1) return;
  u8 to[kMaxThreads];
  for (u8 i = 0; i < kMaxThreads; ++i) to[at[i]] = i;
  State old = s;
  auto permute = [&](u8* now, const u8* before) {
    for (u8 i = 0; i < kMaxThreads; ++i) now[to[i]] = before[i];
  };
  for (u8 i = 0; i < kMaxThreads; ++i) {
    const Thread& from = old.thread[i];
    Thread& t = s.thread[to[i]];
    t = from;
    t.other = from.other ? to[from.other - 1] + 1 : 0;
    t.todo = from.todo & 1 << kAsWriter;
    for (u8 u = 0; u < kMaxThreads; ++u) t.todo |= (from.todo >> u & 1) << to[u];
    permute(t.clock, from.clock);
    permute(t.order, from.order);
    permute(t.published_clock, from.published_clock);
    permute(t.published_order, from.published_order);
  }
  auto rename = [&](Line& line) {
    for (u8* name : {&line.writer, &line.reader, &line.next}) *name = *name ? to[*name - 1] + 1 : 0;
  };
  rename(s.page.word);
  for (u8 l = 0; l < kMaxLines; ++l) {
    Line& line = s.line[l];
    rename(line);
    permute(line.wrote, old.line[l].wrote);
    permute(line.read, old.line[l].read);
  }
}

}  // namespace ana
