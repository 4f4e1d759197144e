#include "runtime/host/order/tenure.h"

namespace ana {

TenureLengths g_tenure;

namespace {

// Measured. A gift costs the two threads that much together, with what they do not find in their caches afterwards. Slices
// of 10 ms change little, of 1 ms cost a tenth.
constexpr uint64_t kSlice = 5'000'000, kSoon = 1000, kOfCheck = 140, kOfGift = 4000, kToSleep = 50'000;  // nanoseconds
constexpr uint64_t kMemory = 24;  // turns, after which a storm may be over
constexpr uint64_t kIdle = 5000, kLongestSleep = 1'000'000;  // nanoseconds
constexpr uint64_t kTakenByIdle = 2;  // who has slept takes the word that it looks at again
constexpr uint64_t kBackOff = 100;    // times as long as falling asleep takes
constexpr uint32_t kChecksOfIdle = 256;
constexpr uint32_t kTimesUntilSpinning = 3, kOtherPolls = 4;

uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

}  // namespace

void set_tenure(uint64_t longest_of_line, uint64_t cycles_in_millisecond) {
  auto cycles_in = [&](uint64_t nanoseconds) { return nanoseconds * cycles_in_millisecond / 1'000'000; };
  if (!longest_of_line) return;
  g_tenure.longest_of_line = cycles_in(longest_of_line);
  g_tenure.slice = cycles_in(longest_of_line > kSlice ? longest_of_line : kSlice);
  g_tenure.soon = cycles_in(kSoon);
  g_tenure.of_check = cycles_in(kOfCheck);
  g_tenure.of_gift = cycles_in(kOfGift);
  g_tenure.to_sleep = cycles_in(kToSleep);
  g_tenure.idle = cycles_in(kIdle);
}

void Tenure::begin(uint64_t now) {
  begun_ = now;
  store(since_, now);
  store(checks_, 0);
  returns_ = gifts_ = 0;
  is_asked_ = false;
}

void Tenure::note_check(bool comes_back) {
  store(checks_, checks_ + 1);
  returns_ += comes_back;
}

void Tenure::prolong(uint64_t waiting_since, uint64_t now) { store(since_, least(now, since_ + (now - waiting_since))); }

// Turns cost others a slice each, so it takes a slice to find that they are needed: a burst of requests is soon over. Once they
// are taken, each tells of the little time until somebody asked in it.
void Tenure::note_asked(uint64_t now) {
  if (is_asked_ || !g_tenure.slice) return;
  is_asked_ = true;
  uint64_t since = gift_at_ > since_ ? gift_at_ : since_;
  uint64_t regained = gift_at_ > begun_ ? 0 : returns_;
  uint64_t lost = regained * g_tenure.of_check + g_tenure.of_gift, all = lost + (now > since ? now - since : 0);
  uint64_t memory = is_stormy() ? all * kMemory : all > g_tenure.slice ? all : g_tenure.slice;
  store(lost_, least(lost_ - lost_ * all / memory + lost * kWhole / memory, kWhole / 2));
}

uint64_t Tenure::left(uint64_t now) const {
  if (!is_stormy()) return 0;
  uint64_t used = now - load(since_);
  return used < g_tenure.slice ? g_tenure.slice - used : 0;
}

Tenure::Answer Tenure::answer(bool is_waiting, bool is_new, uint64_t now) {
  note_asked(now);
  if (!is_waiting && left(now)) return Answer::kLater;
  gifts_ += is_new;
  if (is_stormy() || gifts_ * g_tenure.of_gift > returns_ * g_tenure.of_check) return Answer::kAll;
  is_asked_ = false;
  gift_at_ = now;
  return Answer::kLine;
}

bool Tenure::is_kept(uint32_t line, uint64_t now) const {
  const Contest& at = contests_[line % kContests];
  return at.line == line && now - at.won < at.keeps;
}

bool Tenure::was_given(uint32_t line) const {
  const Contest& at = contests_[line % kContests];
  return at.line == line && at.given > begun_;
}

Tenure::Contest& Tenure::contest(uint32_t line) {
  Contest& at = contests_[line % kContests];
  if (at.line != line) at = {line, 0, 0, 0};
  return at;
}

void Tenure::note_given(uint32_t line, uint64_t now) { contest(line).given = now; }

void Tenure::note_won(uint32_t line, uint64_t asked, uint64_t now) {
  Contest& at = contest(line);
  bool was_using = at.given && asked - at.given < g_tenure.soon;
  at.keeps = least(was_using ? 2 * at.keeps + g_tenure.soon : at.keeps / 2, g_tenure.longest_of_line);
  at.won = now;
}

// It comes back to the poll having taken nothing, and its registers are as they were or have moved like the count. A loop
// that works on what it has, and tells it nowhere but in memory and vectors, may look the same, and yields sooner than it
// had to.
bool Tenure::is_spinning(const ColdCall& poll, uint64_t count, uint64_t checks) {
  bool is_other = seen_.behind != poll.behind;
  if (is_other && ++seen_.others < kOtherPolls) return false;
  bool is_same = !is_other && seen_.checks == checks;
  uint64_t polls = count - seen_.count;
  for (int i = 0; i < 16; ++i) {
    uint64_t moved = poll.registers[i] - seen_.registers[i];
    is_same &= !moved || moved == polls || moved == -polls;
    seen_.registers[i] = poll.registers[i];
  }
  seen_.behind = poll.behind;
  seen_.count = count;
  seen_.checks = checks;
  seen_.others = 0;
  seen_.times = is_same ? seen_.times + 1 : 0;
  return seen_.times >= kTimesUntilSpinning;
}

Idling::Advice Idling::advice(uint64_t now, uint64_t taken, uint64_t cost) {
  bool is_quick = is_watched_ || now - last_ < g_tenure.idle;  // slow checks take long
  bool is_idle = is_quick && !works_ && taken - taken_ <= kTakenByIdle;
  if (works_) not_before_ = now + kBackOff * g_tenure.to_sleep;
  if (!is_idle) {
    since_ = now;
    is_watched_ = false;
  }
  taken_ = taken;
  seen_ = 0;
  works_ = false;
  uint64_t waited = now - since_;
  bool may_sleep = is_watched_ || (waited >= g_tenure.to_sleep + cost && now >= not_before_);
  if (!g_tenure.to_sleep || !may_sleep) return Advice::kGoOn;
  sleep_ = least(waited / g_tenure.to_sleep * kToSleep, kLongestSleep);
  Advice advice = is_watched_ ? Advice::kSleep : Advice::kBeWatched;
  is_watched_ = true;
  return advice;
}

void Idling::go_on(uint64_t now, bool roused) {
  last_ = now;
  if (!roused) return;
  since_ = now;
  is_watched_ = false;
}

void Idling::see(bool writes) {
  works_ |= writes || ++seen_ > kChecksOfIdle;
  is_watched_ &= !works_;
}

bool should_sleep(uint64_t cost, uint64_t left, uint64_t waited) {
  cost += g_tenure.to_sleep;
  return left > cost || waited > 2 * cost;
}

}  // namespace ana
