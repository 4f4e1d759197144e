#include "runtime/host/relay.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/objects.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/shown.h"

namespace ana {

bool g_relaying;

namespace {

constexpr long kWaitNanoseconds = 5'000'000;
constexpr int kPatience = 200;      // waits, for a relay that keeps up ...
constexpr int kImpatience = 1;      // ... and for one that did not the last time: what it writes to is full
constexpr int kStartPatience = 1000;
// More than the relay and a channel can hold: when so much has been copied, what had been printed before is among it.
constexpr uint64_t kMostHeld = 256 * 1024;

int g_descriptors[kRelayDescriptors] = {-1, -1, -1, -1};  // of channels, then masters
int g_patience = kPatience;
uint64_t g_told[kChannels];  // record: logged; replay: shown

int channel_descriptor(int shown) { return g_descriptors[channel_of(g_session->relay, shown)]; }

// False: time is up. A signal that comes is no reason to wait for less long.
bool wait_while(const uint32_t* word, uint32_t value, int& waits) {
  timespec limit{0, kWaitNanoseconds};
  if (raw(SYS_futex, word, FUTEX_WAIT, value, &limit) == -ETIMEDOUT) --waits;
  return waits > 0;
}

bool take_lock(int& waits) {
  auto wait = [&](uint32_t& word, uint32_t value) { return wait_while(&word, value, waits); };
  return take_relay_lock(g_session->relay.lock, wait);
}

void leave_lock() {
  leave_relay_lock(g_session->relay.lock, [](uint32_t& word) { raw(SYS_futex, &word, FUTEX_WAKE, 1); });
}

uint64_t copied(uint32_t i) {
  return __atomic_load_n(&g_session->relay.channel[i].bytes, __ATOMIC_ACQUIRE);  // pairs with the relay's release
}

// With the lock, so the relay holds nothing either. Asking the master also moves on what is underway in the kernel.
bool is_empty(uint32_t i) {
  if (g_descriptors[i] < 0 || __atomic_load_n(&g_session->relay.channel[i].gone, __ATOMIC_ACQUIRE)) return true;
  if (int master = g_descriptors[kChannels + i]; master >= 0) {
    pollfd one{master, POLLIN, 0};
    timespec now{};
    return raw(SYS_ppoll, &one, 1, &now, nullptr, 8) != 1 || !(one.revents & POLLIN);
  }
  int waiting = 0;
  return is_error(raw(SYS_ioctl, g_descriptors[i], FIONREAD, &waiting)) || !waiting;
}

void show_until(uint32_t i, uint64_t bytes) {
  RelayChannel& channel = g_session->relay.channel[i];
  char piece[4096];
  while (g_told[i] < bytes) {
    uint64_t size = bytes - g_told[i] < sizeof(piece) ? bytes - g_told[i] : sizeof(piece);
    long n = channel.descriptor == kNoDescriptor ? 0 : raw(SYS_pread64, channel.descriptor, piece, size, g_told[i]);
    if (n <= 0) return;  // the relay was killed, or this is a child whose parent has it
    show(i + 1, piece, static_cast<uint64_t>(n));
    channel.bytes = g_told[i] += static_cast<uint64_t>(n);
  }
}

}  // namespace

void relay_init() {
  const RelayControl& relay = g_session->relay;
  if (!recording()) return;
  for (uint32_t i = 0; i < kChannels; ++i) {
    g_descriptors[i] = static_cast<int>(relay.channel[i].descriptor);
    g_descriptors[kChannels + i] = static_cast<int>(relay.channel[i].master);
  }
  for (int fd : g_descriptors)
    if (fd >= 0) raw(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

void relay_start() {
  auto state = [](RelayState s) { return static_cast<uint32_t>(s); };
  uint32_t* now = &g_session->relay.state;
  uint32_t ready = state(RelayState::kReady);
  if (__atomic_compare_exchange_n(now, &ready, state(RelayState::kAsked), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ring_doorbell();
  int waits = kStartPatience;
  while (__atomic_load_n(now, __ATOMIC_SEQ_CST) == state(RelayState::kAsked))
    if (!wait_while(now, state(RelayState::kAsked), waits)) return;
  if (__atomic_load_n(now, __ATOMIC_SEQ_CST) == state(RelayState::kRuns))
    __atomic_store_n(&g_relaying, true, __ATOMIC_SEQ_CST);
}

void relay_enter_child() {
  if (g_relaying) {
    for_shown([](long fd, int shown) {
      long flags = raw(SYS_fcntl, fd, F_GETFD), from = channel_descriptor(shown);
      if (!is_error(flags) && from >= 0) raw(SYS_dup3, from, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    });
  }
  g_relaying = false;
  for (int& fd : g_descriptors) {
    if (fd >= 0) raw(SYS_close, fd);
    fd = -1;
  }
}

uint32_t relay_copies(int (*pairs)[2], uint32_t most) {
  uint32_t n = 0;
  if (!g_relaying) return 0;
  for_shown([&](long fd, int shown) {
    int from = channel_descriptor(shown);
    if (from < 0 || n == most) return;
    pairs[n][0] = from;
    pairs[n++][1] = static_cast<int>(fd);
  });
  return n;
}

int* relay_descriptor(uint32_t index) { return g_descriptors[index] >= 0 ? &g_descriptors[index] : nullptr; }

void RelayPause::begin() {
  uint64_t before[kChannels];
  for (uint32_t i = 0; i < kChannels; ++i) before[i] = copied(i);
  auto is_done = [&](uint32_t i) { return is_empty(i) || copied(i) - before[i] >= kMostHeld; };
  const uint32_t* copies = &g_session->relay.copies;
  for (int waits = g_patience;;) {
    uint32_t seen = __atomic_load_n(copies, __ATOMIC_SEQ_CST);
    held_ = take_lock(waits);
    bool done = held_ && is_done(0) && is_done(1);
    if (done || waits <= 0) {
      g_patience = done ? kPatience : kImpatience;
      break;
    }
    leave_lock();
    wait_while(copies, seen, waits);
  }
  for (uint32_t i = 0; i < kChannels; ++i) bytes_[i] = copied(i);
  known_ = true;
}

void RelayPause::end() {
  if (held_) leave_lock();
  held_ = false;
}

void RelayPause::log(Slot& slot) const {
  if (!known_) return;
  for (uint32_t i = 0; i < kChannels; ++i) {
    if (bytes_[i] == g_told[i]) continue;
    g_told[i] = bytes_[i];
    put_value(slot, kOpPrinted, i, &bytes_[i], sizeof(bytes_[i]));
  }
}

void relay_show(Slot& slot) {
  while (next_is(slot, kOpPrinted)) {
    uint64_t bytes = 0;
    auto channel = static_cast<uint64_t>(get_value(slot, kOpPrinted, &bytes, sizeof(bytes)));
    if (channel < kChannels) show_until(static_cast<uint32_t>(channel), bytes);
  }
}

void relay_show_rest() {
  for (uint32_t i = 0; i < kChannels; ++i) show_until(i, ~0ull);
}

void relay_catch_up(Slot& slot) {
  KnownGuard ordered(WellKnown::kOutput);
  if (replaying()) return relay_show(slot);
  block_enter(slot);
  RelayPause pause(true);
  pause.end();
  block_exit(slot);
  pause.log(slot);
}

}  // namespace ana
