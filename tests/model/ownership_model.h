// A model of the ownership protocol (src/runtime/host/order/ownership.{h,cc}, giving.{h,cc}, whole_page.{h,cc}, line.h, page.h): its
// steps, from states (ownership_state.h) to states. explore.cc goes through all of them.
//
// Threads choose what they do next: read or write a line, use two lines that must be held together, block, end an
// epoch, give everything up, poll; who is asked ends its epoch or gives single lines; where `sleeps` is set, they may also sleep while they wait. Each choice is made in every possible way, and the steps of the threads interleave
// in every possible way. Checked:
//   invariant 1   a live permission to write excludes every other live permission on the line, in every state
//   the log       every access comes, in the order that the logged edges and program order make, after all earlier
//                 conflicting ones
//   no deadlock   from every state the end can be reached, which is more than that every state has a successor
// Mutations put known bugs into the model; each has to be found, or the model would prove nothing.
//
// What a step is. An inline check and the access that it allows are two steps. A load, store or locked instruction on
// what threads share is a step; what happens under a lock that all readers take as well is one step with it; work on a
// thread's own state goes with the step before. Demoting several lines is one step, since each store only takes a
// permission away; so is granting a line and unlocking it, since only who holds the line's lock relies on the grant.
// Steps are taken in program order: under x86-TSO the stores of a thread are seen in their order, and whoever takes a
// line has read an epoch that its giver stored after its last access.
//
// Where there is a page, all lines are in it and have its lock. When a thread may take it as a whole, and how much of
// it, is chosen freely instead of by where the thread comes from, and so is when its lines are joined. Else each line
// has a lock of its own, which allows more.
//
// What differs. Leases have lengths 0 and 1, chosen freely instead of by streaks. All lines are neighbours, so a
// request demotes them all, where a thread gives single lines or its epoch ends. The number of requests that lead to a mass release is any, and so is the order in which the
// users of a line are looked at. Epochs wrap at kLastEpoch. Objects, and threads that begin and join, are not here.
#pragma once
#include <string>

#include "ownership_state.h"

namespace ana {

// Finds the successors of a state. `emit(state)` gets each; `error` says what a step has found wrong.
class Stepper {
 public:
  Stepper(const Configuration& configuration, Mutation mutation, bool named)
      : c_(configuration), mutation_(mutation), named_(named) {}

  State initial() const {
    State s;
    memset(&s, 0, sizeof(s));
    for (u8 i = 0; i < c_.threads; ++i) {
      s.thread[i].epoch = c_.wraps ? kLastEpoch - 1 : kPresent;
      s.thread[i].left = c_.actions[i];
    }
    for (u8 i = c_.threads; i < kMaxThreads; ++i) s.thread[i].pc = kDone;
    return s;
  }

  bool is_end(const State& s) const {
    for (const Thread& t : s.thread)
      if (t.pc != kDone) return false;
    return true;
  }

  // The first thing wrong with a state, or empty.
  std::string violation(const State& s) const {
    for (u8 l = 0; l < c_.lines; ++l)
      for (u8 w = 0; w < c_.threads; ++w)
        for (u8 r = 0; r < c_.threads; ++r)
          if (r != w && is_live(s.thread[w], l, true) && uses(s.thread[r], l))
            return "two live permissions on line " + std::to_string(l);
    return "";
  }

  template <class Emit>
  void successors(const State& s, Emit emit) {
    for (u8 i = 0; i < c_.threads; ++i) {
      error.clear();
      step(s, i, [&](State& next) {
        for (u8 u = 0; u < c_.threads; ++u) {
          if (!c_.wraps) press_epochs(next, u);
          press_order(next, u);
        }
        if (!named_) sort_threads(next, c_.threads);
        if (memcmp(&next, &s, sizeof(s)) || !error.empty()) emit(next, i);
      });
    }
  }

  std::string error;

 private:
  bool mutated(Mutation m) const { return mutation_ == m; }

  template <class Emit>
  void step(const State& s, u8 me, Emit emit) {
    State n = s;
    Thread& t = n.thread[me];
    Pc pc = static_cast<Pc>(t.pc);
    if (pc == kIdle) return idle(s, me, emit);
    if (pc == kLock) return lock(s, me, emit);
    if (pc == kGrant) return t.whole ? grant_page(s, me, emit) : grant(s, me, emit);
    if (pc == kEndBegin) return end_begin(s, me, emit);
    if (pc == kGive) return give(s, me, emit);
    if (pc == kConflict || pc == kDepend) {
      for (u8 user = 0; user <= kAsWriter; ++user) {
        if (!(s.thread[me].todo >> user & 1)) continue;  // not of `n`, which emit() has changed
        n = s;
        look_at(n, me, user);
        emit(n);
      }
      return;
    }
    if (c_.sleeps && (pc == kWaitLook || pc == kTurn) && !t.keeps) {
      State asleep = s;
      falls_asleep(asleep.thread[me]);
      emit(asleep);
    }
    bool moved = pc == kAccess      ? access(n, me)
                 : pc == kTakeOrder ? take_order(n, me)
                 : pc <= kToken     ? wait(n, me)
                                    : end(n, me);
    if (moved) emit(n);
  }

  template <class Emit>
  void idle(const State& s, u8 me, Emit emit) {
    auto with = [&](auto change) {
      State n = s;
      change(n, n.thread[me]);
      emit(n);
    };
    auto ends = [](Thread& t, Why why) { t.why = why, t.back = kIdle, t.pc = kEndBegin; };
    if (s.thread[me].asked) with([&](State&, Thread& t) { ends(t, kAsked); });
    if (!s.thread[me].left) return with([&](State&, Thread& t) { ends(t, kToExit); });
    for (u8 a = 0; a < kActions; ++a) {
      if (!(c_.menu >> a & 1)) continue;
      with([&](State& n, Thread& t) {
        --t.left;
        t.action = a;
        if (a == kBlock) return ends(t, kToBlock);
        if (a == kGiveUp) return ends(t, kToGiveUp);
        if (a == kEndEpoch) return ends(t, kToHandOver);
        t.item = t.tries = 0;
        scan(n, me);
      });
    }
  }

  // acquire_set(): from the present item on, to the next line that is missing, or to the accesses.
  void scan(State& n, u8 me) {
    Thread& t = n.thread[me];
    const Action& action = kAction[t.action];
    for (;; ++t.item) {
      if (t.item == action.count) {
        if (!t.yielded) break;
        t.yielded = false;
        t.item = 0;
        if (++t.tries == kTriesBeforeToken) {
          t.pc = kToken;
          return;
        }
      }
      const Item& item = action.items[t.item];
      if (t.until[item.line][item.write] >= t.epoch) continue;
      t.pc = kLock;
      return;
    }
    if (t.keeps) t.keeps = n.token = false;
    t.item = t.tries = 0;
    t.pc = kAccess;
  }

  bool access(State& n, u8 me) {
    Thread& t = n.thread[me];
    const Item& item = kAction[t.action].items[t.item];
    Line& line = n.line[item.line];
    for (u8 u = 0; u < c_.threads && !item.guess; ++u) {
      bool ordered = t.order[u] >= line.wrote[u] && (!item.write || t.order[u] >= line.read[u]);
      if (u != me && !ordered) {
        error = "line " + std::to_string(item.line) + ": the log has no order between an access of thread " +
                std::to_string(u) + " and this one";
      }
    }
    if (!item.guess) (item.write ? line.wrote : line.read)[me] = ++t.order[me];
    if (++t.item == kAction[t.action].count) t.item = t.action = 0, t.pc = kIdle;
    return true;
  }

  bool is_reader(const Line& line, u8 me, u8 u) const {
    return u != me && u < c_.threads && (line.many || line.reader == u + 1);
  }

  // Which users of the line matter: first to look whether one is live, then to come after all of them.
  u8 users(const Line& line, u8 me, bool write) const {
    u8 result = 0;
    for (u8 u = 0; u < c_.threads; ++u) result |= (write && is_reader(line, me, u)) << u;
    return result | (line.writer && line.writer != me + 1) << kAsWriter;
  }

  // guess() does without.
  void skip(State& n, u8 me) {
    n.thread[me].todo = 0;
    ++n.thread[me].item;
    scan(n, me);
  }

  bool& lock_of(State& n, const Line& line) const { return c_.paged ? n.page.locked : const_cast<Line&>(line).locked; }

  // Page::split(), under its lock.
  void split(State& n) const {
    for (u8 l = 0; l < c_.lines; ++l) copy_users(n.line[l], n.page.word);
    copy_users(n.page.word, Line{});
    n.page.split = true;
  }
  static void copy_users(Line& to, const Line& from) {
    to.writer = from.writer, to.reader = from.reader, to.many = from.many;
  }

  void start_looking(State& n, u8 me, bool whole) const {
    Thread& t = n.thread[me];
    const Item& item = kAction[t.action].items[t.item];
    t.whole = whole;
    t.todo = users(whole ? n.page.word : n.line[item.line], me, item.write);
    t.pc = t.todo ? kConflict : kGrant;
  }

  // acquire_in_page() and guess(), as far as the lock. A page that is whole may be taken so.
  template <class Emit>
  void lock(const State& s, u8 me, Emit emit) {
    State n = s;
    Thread& t = n.thread[me];
    const Item& item = kAction[t.action].items[t.item];
    Line& line = n.line[item.line];
    bool is_whole = c_.paged && !n.page.split;
    if (item.guess && (lock_of(n, line) || line.next || is_whole)) {
      skip(n, me);
      return emit(n);
    }
    if (lock_of(n, line)) return;
    if (line.next && line.next != me + 1) {
      t.pc = kTurn;
      return emit(n);
    }
    lock_of(n, line) = true;
    if (is_whole) {
      State as_whole = n;
      start_looking(as_whole, me, true);
      emit(as_whole);
      split(n);
    }
    start_looking(n, me, false);
    emit(n);
  }

  // conflicting_owner() and log_dependences(), for one user; can_follow() where nothing is waited for or logged. The
  // order in which users are looked at is any.
  void look_at(State& n, u8 me, u8 user) {
    Thread& t = n.thread[me];
    const Item& item = kAction[t.action].items[t.item];
    Line& line = n.line[item.line];
    const Line& word = t.whole ? n.page.word : line;
    u8 name = user == kAsWriter ? word.writer : user + 1;
    const Thread& source = n.thread[name - 1];
    bool finding = t.pc == kConflict;
    u8 until = (t.whole ? source.bound : source.until[item.line])[user == kAsWriter];
    bool conflicts = finding && until >= source.epoch;
    u8 use = long_epoch(source.generation, until);
    bool uncovered = !finding && use && t.clock[name - 1] < use;
    if (t.whole && (conflicts || uncovered)) {
      split(n);
      return start_looking(n, me, false);
    }
    if (item.guess && (conflicts || (uncovered && !mutated(Mutation::kGuessWithoutOrder)))) {
      lock_of(n, line) = false;
      return skip(n, me);
    }
    if (conflicts) {
      line.next = me + 1;
      lock_of(n, line) = false;
      t.todo = 0;
      t.other = name;
      t.pc = kWaitLook;
      return;
    }
    t.todo &= ~(1 << user);
    if (uncovered && !item.guess) {
      t.other = name;
      t.pc = kTakeOrder;
    } else if (!t.todo) {
      t.todo = finding ? users(word, me, item.write) : 0;
      t.pc = finding ? kDepend : kGrant;
    }
  }

  bool take_order(State& n, u8 me) {
    Thread& t = n.thread[me];
    const Thread& source = n.thread[t.other - 1];
    join(t.clock, source.published_clock);
    if (source.publishing) return true;
    u8& known = t.clock[t.other - 1];
    known = larger(known, source.published);
    bool wrote = n.line[kAction[t.action].items[t.item].line].writer == t.other;
    if (wrote || !mutated(Mutation::kEdgeSkipped)) join(t.order, source.published_order);
    t.other = 0;
    t.pc = t.todo ? kDepend : kGrant;
    return true;
  }

  static bool is_alone(const Line& word, u8 name) {
    return word.writer == name && !word.many && (!word.reader || word.reader == name);
  }
  static bool comes_back(const Line& word, u8 name, u8 read_until, bool write) {
    return is_alone(word, name) || (!write && (word.many ? read_until != 0 : word.reader == name));
  }

  void permit_writing(Thread& t, u8 line, u8 until) const {
    u8& read = t.until[line][0];
    read = mutated(Mutation::kWriterKeepsLongerRead) ? larger(read, until) : until;
    t.until[line][1] = until;
  }
  void add_reader(Line& word, u8 name) const {
    if (word.reader && word.reader != name && !word.many) {
      word.many = !mutated(Mutation::kSecondReaderForgotten);
    } else if (!word.many) {
      word.reader = name;
    }
  }

  template <class Emit>
  void grant(const State& s, u8 me, Emit emit) {
    const Item& item = kAction[s.thread[me].action].items[s.thread[me].item];
    const Line& word = s.line[item.line];
    u8 name = me + 1;
    bool alone = is_alone(word, name), again = comes_back(word, name, s.thread[me].until[item.line][0], item.write);
    for (u8 lease = 0; lease <= again; ++lease) {
      State n = s;
      Thread& t = n.thread[me];
      Line& line = n.line[item.line];
      u8 until = t.epoch + lease;
      u8& read = t.until[item.line][0];
      bool writes = item.write || (alone && lease);
      t.longest = larger(t.longest, until);
      if (writes) {
        permit_writing(t, item.line, until);
        if (item.write) line.writer = name, line.reader = 0, line.many = false;
      } else {
        read = larger(read, until);
        add_reader(line, name);
      }
      for (u8 as = 0; c_.paged && as <= writes; ++as)
        if (!mutated(Mutation::kPageBoundForgotten)) t.bound[as] = larger(t.bound[as], until);
      line.next = 0;
      leave(n, me, emit);
      if (c_.paged && can_join(n)) {
        copy_users(n.page.word, n.line[0]);
        for (Line& each : n.line) copy_users(each, Line{});
        n.page.split = false;
        leave(n, me, emit);
      }
    }
  }

  // Unlocks, and goes on with the next item.
  template <class Emit>
  void leave(State n, u8 me, Emit emit) {
    Thread& t = n.thread[me];
    lock_of(n, n.line[kAction[t.action].items[t.item].line]) = t.whole = false;
    ++t.item;
    scan(n, me);
    emit(n);
  }

  bool can_join(const State& n) const {
    for (u8 l = 0; l < c_.lines; ++l) {
      const Line &line = n.line[l], &like = n.line[0];
      bool same = line.writer == like.writer && line.reader == like.reader && line.many == like.many;
      if ((!same && !mutated(Mutation::kPageJoinedUnlike)) || line.next) return false;
    }
    return true;
  }

  // take_in_whole_page(): all lines, or only the one that is wanted.
  template <class Emit>
  void grant_page(const State& s, u8 me, Emit emit) {
    const Item& item = kAction[s.thread[me].action].items[s.thread[me].item];
    u8 name = me + 1;
    bool alone = is_alone(s.page.word, name), changes_hands = item.write && !alone;
    bool again = comes_back(s.page.word, name, s.thread[me].bound[0], item.write);
    for (u8 lease = 0; lease <= again; ++lease) {
      for (bool all : {false, true}) {
        if (changes_hands && all == mutated(Mutation::kPageForLine)) continue;
        State n = s;
        Thread& t = n.thread[me];
        u8 until = t.epoch + lease, first = all ? 0 : item.line, last = all ? c_.lines - 1 : item.line;
        bool writes = item.write || (alone && lease);
        t.longest = larger(t.longest, until);
        for (u8 l = first; l <= last; ++l) {
          if (writes) permit_writing(t, l, until);
          else t.until[l][0] = larger(t.until[l][0], until);
        }
        for (u8 as = 0; as <= writes; ++as) t.bound[as] = all && writes ? until : larger(t.bound[as], until);
        Line& word = n.page.word;
        if (changes_hands) word.writer = name, word.reader = 0, word.many = false;
        if (!writes) add_reader(word, name);
        if (item.write && mutated(Mutation::kPageReaderForgotten)) word.reader = 0;
        leave(n, me, emit);
      }
    }
  }

  // yield_if_asked() inside a wait, its test.
  void serve_then(Thread& t, Pc back) {
    t.pc = back;
    if (!t.asked || t.keeps || mutated(Mutation::kWaitsWithoutServing)) return;
    t.why = kAsked;
    t.back = back;
    t.pc = kEndBegin;
  }

  // sleep_until_left(): the end of an epoch and blocking, from which the thread may come back at any time.
  void falls_asleep(Thread& t) {
    t.why = kToBlock;
    t.back = t.pc;
    t.pc = kEndBegin;
  }

  // wait_for_line(), wait_for_turn(), take_token().
  bool wait(State& n, u8 me) {
    Thread& t = n.thread[me];
    u8 l = kAction[t.action].items[t.item].line;
    Thread& owner = n.thread[t.other ? t.other - 1 : 0];
    switch (t.pc) {
      case kWaitLook: {
        if (!uses(owner, l)) {
          t.other = t.posted = 0;
          t.pc = kLock;
          return true;
        }
        bool posts = !owner.blocked && !t.posted;
        if ((owner.blocked || posts) && owner.locked) return false;
        if (owner.blocked) {
          demote(owner, owner.epoch - 1);
          return true;
        }
        if (posts) {
          owner.requests |= 1 << l;
          t.posted = true;
        }
        t.pc = kWaitAsk;
        return true;
      }
      case kWaitAsk:
        if (owner.asked) {
          serve_then(t, kWaitLook);
          return true;
        }
        if (t.posted && owner.locked) return false;
        if (!(owner.requests >> l & 1)) t.posted = false;
        t.pc = kWaitStore;
        return true;
      case kWaitStore:
        owner.asked = true;
        serve_then(t, kWaitLook);
        return true;
      case kTurn:
        if (n.line[l].next && n.line[l].next != me + 1) {
          serve_then(t, kTurn);
        } else {
          t.pc = kLock;
        }
        return true;
      case kToken:
        if (n.token) {
          serve_then(t, kToken);
        } else {
          n.token = t.keeps = true;
          scan(n, me);
        }
        return true;
    }
    return false;
  }

  // The first half of yield_if_asked(), block_enter(), give_up_all(), end_epoch() and thread_exit().
  template <class Emit>
  void end_begin(const State& s, u8 me, Emit emit) {
    const Thread& now = s.thread[me];
    bool locks = now.why != kToHandOver;
    if (locks && now.locked) return;
    bool gives_up = now.why == kToGiveUp || now.why == kToExit;
    bool may_mass = now.requests && now.longest > now.epoch;
    for (u8 mass = gives_up; mass <= (gives_up || (locks && may_mass)); ++mass) {
      State n = s;
      Thread& t = n.thread[me];
      t.locked = locks;
      if (t.why == kAsked) t.asked = false;
      if (locks && t.requests && !mass) demote(t, t.epoch);
      if (locks) t.requests = 0;
      t.last = mass ? larger(t.longest, t.epoch) : t.epoch;
      t.pc = mutated(Mutation::kRaisedBeforePublished) ? kRaise : kPublish;
      if (t.why == kToBlock && mutated(Mutation::kBlocksInsideEpoch)) t.pc = kEndDone;
      emit(n);
    }
    if (now.why != kAsked || !now.requests || c_.wraps) return;
    State n = s;
    Thread& t = n.thread[me];
    t.locked = t.gives = true;
    t.asked = false;
    name_moment(t);
    t.pc = mutated(Mutation::kGivenBeforePublished) ? kGive : kPublish;
    emit(n);
  }

  // give_some(): the lines that were asked for, or all of the page.
  template <class Emit>
  void give(const State& s, u8 me, Emit emit) {
    for (bool page : {false, true}) {
      if (page && !c_.paged) continue;
      State n = s;
      Thread& t = n.thread[me];
      for (u8 l = 0; l < c_.lines; ++l)
        for (u8& until : t.until[l])
          if (t.requests >> l & 1 && until > t.last) until = t.last;
      if (page) demote(t, t.last);
      t.requests = 0;
      t.pc = mutated(Mutation::kGivenBeforePublished) ? kPublish : kEndDone;
      emit(n);
    }
  }

  bool end(State& n, u8 me) {
    Thread& t = n.thread[me];
    bool publishes_late = mutated(Mutation::kRaisedBeforePublished);
    switch (t.pc) {
      case kPublish:
        t.publishing = true;
        t.published = long_epoch(t.generation, t.last);
        memcpy(t.published_clock, t.clock, sizeof(t.clock));
        memcpy(t.published_order, t.order, sizeof(t.order));
        t.pc = kPublishEnd;
        return true;
      case kPublishEnd:
        t.publishing = false;
        t.pc = publishes_late ? kEndDone : kRaise;
        if (t.gives) t.pc = mutated(Mutation::kGivenBeforePublished) ? kEndDone : kGive;
        return true;
      case kRaise:
        if (t.last >= kLastEpoch) {
          if (++t.generation == 256 / kEpochs) error = "the model's epochs are used up: it needs a larger bound";
          t.pc = kClear;
          return true;
        }
        t.epoch = t.last + 1;
        t.pc = publishes_late ? kPublish : kEndDone;
        return true;
      case kClear:
        memset(t.until, 0, sizeof(t.until));
        memset(t.bound, 0, sizeof(t.bound));
        t.longest = 0;
        t.pc = kSetEpoch;
        return true;
      case kSetEpoch:
        t.epoch = 1;
        t.pc = publishes_late ? kPublish : kEndDone;
        return true;
      case kEndDone:
        t.locked = false;
        t.pc = t.why == kToBlock ? u8{kBlocked} : t.why == kToExit ? u8{kDone} : t.back;
        t.yielded |= (t.why == kAsked || (t.why == kToBlock && !mutated(Mutation::kSleepIsNoYield))) && t.back != kIdle;
        t.blocked |= t.why == kToBlock || t.why == kToExit;
        if (t.why != kToBlock) t.back = 0;
        t.why = t.last = t.gives = 0;
        return true;
      case kBlocked:
        if (t.locked || (c_.sleeps_long && !others_rest(n, me))) return false;
        t.blocked = mutated(Mutation::kBlockedStaysSet);
        t.pc = t.back;
        t.back = 0;
        return true;
    }
    return false;
  }

  bool others_rest(const State& s, u8 me) const {
    for (u8 u = 0; u < c_.threads; ++u)
      if (u != me && s.thread[u].pc != kDone && s.thread[u].pc != kBlocked) return false;
    return true;
  }

  Configuration c_;
  Mutation mutation_;
  bool named_;                  // tell threads apart, for whoever reads a way
};

}  // namespace ana
