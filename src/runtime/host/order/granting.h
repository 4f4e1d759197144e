// How a thread grants itself a line that nobody forbids it: under the lock of its page, which is split (page.h).
#pragma once
#include "runtime/host/order/permissions.h"

namespace ana {

inline void permit_reading(Slot& slot, uint32_t line, uint32_t until) {
  raise(slot.pages[line / kPageLines].until[0], until);
  raise(slot.permissions[line].until[0], until);
  if (until > slot.longest_lease) slot.longest_lease = until;
}

// Both to the same epoch, even if reading was permitted for longer: the line's word names a writer but not as a reader,
// so its permission to read must not outlive the one to write.
inline void permit_writing(Slot& slot, uint32_t line, uint32_t until) {
  for (uint32_t& bound : slot.pages[line / kPageLines].until) raise(bound, until);
  store(slot.permissions[line].until[0], until);
  store(slot.permissions[line].until[1], until);
  if (until > slot.longest_lease) slot.longest_lease = until;
}

inline LineWord grant(Slot& slot, LineWord word, uint32_t line, bool write) {
  uint32_t me = slot.id + 1;
  bool alone = is_alone(slot, word);
  bool again = comes_back(slot, word, slot.permissions[line], write);
  word = again ? word.with_longer_streak() : write ? word.with_broken_streak() : word;
  slot.comes_back |= again && had_lately(slot, slot.permissions[line], write);
  uint32_t until = slot.epoch + lease(word, again) * kMoments;
  ++slot.shared->status.acquired;
  if (write || (alone && until > slot.epoch)) {
    permit_writing(slot, line, until);
    return write ? word.with_writer(me) : word;
  }
  permit_reading(slot, line, until);
  return word.with_reader(me);
}

// Lines of a page that are taken one by one. Most are like the one before, with the same users, who left them at the same
// time: what was found out about that one, and granted, goes for them, too. Under the page's lock nobody raises a permission, so
// two equal ones are of the same generation, and what was over stays so.
class LineRun {
 public:
  LineRun(Slot& slot, Page& page, bool write) : slot_(slot), page_(page), write_(write) {}

  // Takes a line, whose word this is, if that needs neither a wait nor an edge. Else what was known is forgotten: the page may be
  // unlocked now, and the epoch end.
  bool take(uint32_t line, LineWord word) {
    Permission& mine = slot_.permissions[line];
    SlotStatus& status = slot_.shared->status;
    if (is_known_ && uses_of(line, word) == uses_) {
      __atomic_store_n(reinterpret_cast<uint64_t*>(&mine), granted_, __ATOMIC_RELEASE);
      page_.set_word(line, word_);
      ++status.acquired;
      status.dependences += dependences_;
      return true;
    }
    uint64_t dependences = status.dependences;
    is_known_ = !word.next() && can_follow(slot_, word, kOfLines, line, write_);
    if (!is_known_) {
      status.dependences = dependences;
      return false;
    }
    dependences_ = status.dependences - dependences;
    uses_ = uses_of(line, word);  // now that they are over: before, they may have been later
    word_ = grant(slot_, word, line, write_);
    granted_ = bits(mine);
    page_.set_word(line, word_);
    is_known_ = !word.many_readers();
    return true;
  }

 private:
  // What a grant depends on, but for what is the same for all lines of the page.
  struct Uses {
    uint64_t word, mine;
    uint32_t read, written;
    bool operator==(const Uses&) const = default;
  };

  Uses uses_of(uint32_t line, LineWord word) const {
    uint32_t reader = write_ ? word.reader() : 0;
    return {word.bits(), bits(slot_.permissions[line]), until(reader, line, false), until(word.writer(), line, true)};
  }
  static uint64_t bits(const Permission& permission) {
    return __atomic_load_n(reinterpret_cast<const uint64_t*>(&permission), __ATOMIC_RELAXED);
  }
  uint32_t until(uint32_t user, uint32_t line, bool as_writer) const {
    return user && user != slot_.id + 1 ? load(g_slots[user - 1].permissions[line].until[as_writer]) : 0;
  }

  Slot& slot_;
  Page& page_;
  bool write_, is_known_ = false;
  Uses uses_{};
  LineWord word_{0};
  uint64_t granted_ = 0, dependences_ = 0;
};

}  // namespace ana
