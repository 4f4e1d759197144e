#include "runtime/host/order/granules.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace ana {
namespace {

void* map_memory(uint64_t bytes) {
  long at = raw(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (is_error(at)) fatal(ReportKind::kCannotStart, "no memory for the access histories", ENOMEM);
  return reinterpret_cast<void*>(at);
}

// Powers of two from 16 bytes to 64 KiB; what is larger is mapped by itself.
constexpr uint32_t kFirstClass = 4, kClasses = 17;
constexpr uint64_t kChunk = 1 << 20;

struct Free {
  Free* next;
};
struct SizeClass {
  SpinLock lock;
  Free* free;
  char* at;
  char* end;
};
SizeClass g_classes[kClasses];

uint32_t class_of(size_t bytes) {
  uint32_t bits = bytes <= 1 ? 0 : 64 - __builtin_clzll(bytes - 1);
  return bits < kFirstClass ? kFirstClass : bits;
}

// Word of a lock: the number of those who share it, or kExclusive.
constexpr uint32_t kExclusive = 1u << 31;
struct alignas(64) Lock {
  uint32_t word;
};

void take(Lock& lock, bool share) {
  for (int n = 0;; SpinLock::back_off(n)) {
    uint32_t word = __atomic_load_n(&lock.word, __ATOMIC_RELAXED);
    if (word && (!share || word == kExclusive)) continue;
    uint32_t wanted = share ? word + 1 : kExclusive;
    // Pairs with give(): what the last holder did is seen.
    if (__atomic_compare_exchange_n(&lock.word, &word, wanted, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  }
}

void give(Lock& lock, bool share) {
  if (share) __atomic_sub_fetch(&lock.word, 1, __ATOMIC_RELEASE);
  else __atomic_store_n(&lock.word, 0, __ATOMIC_RELEASE);
}

Lock g_locks[4096];

}  // namespace

void* TracingHost::allocate(size_t bytes) {
  uint32_t bits = class_of(bytes);
  if (bits >= kClasses) return map_memory(bytes);
  SizeClass& c = g_classes[bits];
  c.lock.lock();
  Free* block = c.free;
  if (block) {
    c.free = block->next;
  } else {
    uint64_t size = 1ull << bits;
    if (c.at == c.end) {
      c.at = static_cast<char*>(map_memory(kChunk));
      c.end = c.at + kChunk;
    }
    block = reinterpret_cast<Free*>(c.at);
    c.at += size;
  }
  c.lock.unlock();
  return block;
}

void TracingHost::release(void* block, size_t bytes) {
  uint32_t bits = class_of(bytes);
  if (bits >= kClasses) {
    raw(SYS_munmap, block, bytes);
    return;
  }
  SizeClass& c = g_classes[bits];
  c.lock.lock();
  auto* free = static_cast<Free*>(block);
  free->next = c.free;
  c.free = free;
  c.lock.unlock();
}

void GranuleTable::init(uint32_t shift, size_t granule_bytes) {
  shift_ = shift;
  granule_bytes_ = static_cast<uint32_t>(granule_bytes);
  leaves_ = static_cast<char**>(map_memory(kLeaves * sizeof(char*)));
}

char* GranuleTable::make_leaf(uint64_t index) {
  uint64_t bytes = (1ull << (kLeafShift - shift_)) * granule_bytes_;
  auto* leaf = static_cast<char*>(map_memory(bytes));
  char* none = nullptr;
  // Pairs with find(): the leaf is mapped before it is seen.
  if (__atomic_compare_exchange_n(&leaves_[index], &none, leaf, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return leaf;
  raw(SYS_munmap, leaf, bytes);
  return none;
}

void* GranuleTable::find(uint64_t granule) {
  uint64_t index = (granule >> (kLeafShift - shift_)) & (kLeaves - 1);
  char* leaf = __atomic_load_n(&leaves_[index], __ATOMIC_ACQUIRE);
  if (__builtin_expect(!leaf, 0)) leaf = make_leaf(index);
  return leaf + (granule & ((1ull << (kLeafShift - shift_)) - 1)) * granule_bytes_;
}

void LockSet::clear() {
  first_ = kWords;
  last_ = 0;
}

void LockSet::add(uint64_t granule, uint32_t shift) {
  uint64_t place = shift < ANA_LINE_SHIFT ? granule >> (ANA_LINE_SHIFT - shift) : granule;
  uint32_t lock = (place * 0x9e3779b97f4a7c15ull) >> 52, word = lock / 64;
  static_assert(kLocks == 1 << 12);
  if (first_ > last_) {
    needed_[first_ = last_ = word] = 0;
  } else {
    while (word < first_) needed_[--first_] = 0;
    while (word > last_) needed_[++last_] = 0;
  }
  needed_[word] |= 1ull << lock % 64;
}

template <class Use>
void LockSet::for_each(Use use) {
  for (uint32_t word = first_; word <= last_ && word < kWords; ++word)
    for (uint64_t bits = needed_[word]; bits; bits &= bits - 1) use(g_locks[word * 64 + __builtin_ctzll(bits)]);
}

void LockSet::lock(bool share) {
  shared_ = share;
  for_each([share](Lock& lock) { take(lock, share); });
}

void LockSet::unlock() {
  for_each([this](Lock& lock) { give(lock, shared_); });
  clear();
}

void Accesses::set(const AnaRange* ranges, uint32_t n) {
  if (n > kMaxRangesOfEvent) fatal(ReportKind::kUnsupportedFeature, "an access to more than 96 ranges at once");
  memcpy(range, ranges, n * sizeof(AnaRange));
  count = n;
}

bool Accesses::only_reads() const {
  for (uint32_t i = 0; i < count; ++i)
    if (range[i].first & ANA_RANGE_WRITE) return false;
  return true;
}

}  // namespace ana
