#include "runtime/host/order/tenure.h"

namespace ana {

TenureLengths g_tenure;

namespace {

// Measured. Longer ones change little; with 4 instead of 10 uses, programs that share much take half as long again.
constexpr uint64_t kLongest = 2'000'000, kOfCheck = 140, kToSleep = 50'000;  // nanoseconds
constexpr uint64_t kUses = 10, kIdleUses = 8;  // times of what taking took; the second since the last was taken
constexpr uint32_t kTimesUntilSpinning = 3, kOtherPolls = 4;

uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
uint64_t rest_of(uint64_t length, uint64_t since, uint64_t now) {
  if (length < g_tenure.shortest) length = g_tenure.shortest;
  length = least(length, g_tenure.longest);
  return now - since < length ? length - (now - since) : 0;
}

}  // namespace

void set_tenure(uint64_t shortest, uint64_t cycles_in_millisecond) {
  auto cycles_in = [&](uint64_t nanoseconds) { return nanoseconds * cycles_in_millisecond / 1'000'000; };
  if (!shortest) return;
  g_tenure.shortest = cycles_in(shortest);
  g_tenure.longest = cycles_in(shortest > kLongest ? shortest : kLongest);
  g_tenure.of_check = cycles_in(kOfCheck);
  g_tenure.to_sleep = cycles_in(kToSleep);
}

void Tenure::begin(uint64_t now, uint64_t checks) {
  store(since_, now);
  store(checks_before_, checks);
}

void Tenure::prolong(uint64_t waiting_since, uint64_t now) { store(since_, least(now, since_ + (now - waiting_since))); }

uint64_t Tenure::left(uint64_t checks, uint64_t now) const {
  uint64_t since = load(since_), taken = load(last_taken_);
  uint64_t idle_since = taken > since ? taken : since;
  return least(rest_of(kUses * cost(checks), since, now), rest_of(kIdleUses * cost(checks), idle_since, now));
}

bool Tenure::goes_on(const ColdCall* poll, uint64_t count, uint64_t checks, uint64_t now) {
  if (poll && is_spinning(*poll, count, checks)) return rest_of(0, since_, now) != 0;
  return left(checks, now) != 0;
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

bool should_sleep(uint64_t cost, uint64_t left, uint64_t waited) {
  cost += g_tenure.to_sleep;
  return left > cost || waited > 2 * cost;
}

}  // namespace ana
