#include "runtime/host/order/whole_page.h"

#include "runtime/host/order/permissions.h"

namespace ana {
namespace {

constexpr uint32_t kBlockLines = 8;  // whose permissions are in one cache line

struct Lines {
  uint32_t first, last;
};

bool has(const Slot& slot, uint32_t line, bool write) { return slot.permissions[line].until[write] >= slot.epoch; }

// The thread has been in the page in this epoch, or comes into it from one of its neighbours.
bool is_walking(const Slot& slot, const Page& page, Lines wanted, bool write) {
  if (slot.pages[page.number()].until[write] >= slot.epoch) return true;
  if (wanted.first == page.first() && wanted.first && has(slot, wanted.first - 1, write)) return true;
  return wanted.last == page.last() && wanted.last < ANA_LINE_MASK && has(slot, wanted.last + 1, write);
}

// Whether who wants to write these lines may be given the page, which has been somebody else's. At its edge the thread
// is likely to be on its way through; in the middle it may well share the page with another that works towards it.
bool may_change_hands(const Slot& slot, const Page& page, Lines wanted) {
  if (page.is_fought_over()) return false;
  if (!page.word().has_users() || wanted.first == page.first() || wanted.last == page.last()) return true;
  return has(slot, page.first(), false) && has(slot, page.last(), false);
}

// How many lines the thread does not have. `bound`: its permission on the page. Mostly that says it all: then the lines' need not
// be read, and are in no cache.
uint32_t count_missing(const Slot& slot, Lines lines, uint32_t bound, bool write) {
  if (bound < slot.epoch) return lines.last - lines.first + 1;
  uint32_t missing = 0;
  for (uint32_t line = lines.first; line <= lines.last; ++line) missing += !has(slot, line, write);
  return missing;
}

void permit_writing(Slot& slot, Lines lines, uint32_t until) {
  for (uint32_t line = lines.first; line <= lines.last; ++line)
    __atomic_store_n(reinterpret_cast<uint64_t*>(slot.permissions + line), uint64_t{until} << 32 | until, __ATOMIC_RELEASE);
}

void permit_reading(Slot& slot, Lines lines, uint32_t bound, uint32_t until) {
  for (uint32_t line = lines.first; line <= lines.last; ++line) {
    uint32_t& word = slot.permissions[line].until[0];
    bound < until ? store(word, until) : raise(word, until);
  }
}

}  // namespace

bool take_in_whole_page(Slot& slot, Page& page, uint32_t first, uint32_t last, bool write) {
  LineWord word = page.word();
  Permission& mine = slot.pages[page.number()];
  bool alone = is_alone(slot, word), changes_hands = write && !alone;
  Lines lines{first, last};
  bool freely = runs_alone(slot);
  if (changes_hands && !freely && !may_change_hands(slot, page, lines)) return false;
  SlotStatus& status = slot.shared->status;
  uint64_t dependences = status.dependences;
  if (!can_follow(slot, word, kOfPages, page.number(), write)) {
    status.dependences = dependences;
    return false;
  }
  if (changes_hands || freely || is_walking(slot, page, lines, write)) lines = {page.first(), page.last()};
  else if (!page.is_fought_over()) lines.last |= kBlockLines - 1;

  bool again = comes_back(slot, word, mine, write);
  bool is_first_time = mine.until[write] < slot.epoch;  // in this epoch
  if (is_first_time && again) word = word.with_longer_streak();
  else if (is_first_time && write) word = word.with_broken_streak();
  slot.comes_back |= again && had_lately(slot, mine, write);
  uint32_t until = slot.epoch + lease(word, again) * kMoments, missing;
  if (write || (alone && until > slot.epoch)) {
    missing = count_missing(slot, lines, mine.until[1], true);
    permit_writing(slot, lines, until);
    bool all = lines.first == page.first() && lines.last == page.last();
    for (uint32_t& bound : mine.until) all ? store(bound, until) : raise(bound, until);
    // Who is alone may have read other lines for longer, and stays named as their reader.
    if (changes_hands) word = word.with_writer(slot.id + 1);
  } else {
    missing = count_missing(slot, lines, mine.until[0], false);
    permit_reading(slot, lines, mine.until[0], until);
    raise(mine.until[0], until);
    word = word.with_reader(slot.id + 1);
  }
  if (until > slot.longest_lease) slot.longest_lease = until;
  page.set_word(word);
  page.note_peace();
  status.acquired += missing;
  status.dependences = dependences + (status.dependences - dependences) * missing;
  return true;
}

}  // namespace ana
