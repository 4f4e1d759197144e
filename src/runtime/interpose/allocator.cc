#include "runtime/interpose/allocator.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/interpose/heap_pool.h"
#include "runtime/interpose/heap_slot.h"
#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/runtime.h"

#define ANA_COLD __attribute__((cold, noinline))
#define ANA_INLINE inline __attribute__((always_inline))
#define ANA_LIKELY(x) __builtin_expect(!!(x), 1)
#define ANA_UNLIKELY(x) __builtin_expect(!!(x), 0)

// By the linker.
extern "C" __attribute__((weak)) const char __executable_start, etext;
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_ana_runtime, __stop_ana_runtime;

namespace ana {

namespace {

using namespace heap;

// The loader lies at a fixed place when there is a host, so almost always two instructions decide.
inline bool called_by_loader(const void* caller) {
  uint64_t offset = reinterpret_cast<uint64_t>(caller) - layout::kInterpreter;
  return ANA_UNLIKELY(offset < layout::kInterpreterBytes) && g_host && g_host->is_loader(caller);
}

ANA_COLD SlotHeap* start_heap(bool loader) {
  if (!g_started) ensure_started();
  if (!g_region.base) {
    if (!start_region()) return nullptr;
    pool_start();
  }
  uint32_t slot = current_slot();
  if (g_host) return make_heap(slot, loader);
  PoolSection section;  // here only the lock in it
  return g_heaps[slot] ? g_heaps[slot] : make_heap(slot, false);
}

inline SlotHeap* own_heap() {
  if (ANA_LIKELY(g_started)) {
    SlotHeap* heap = g_heaps[current_slot()];
    if (ANA_LIKELY(heap != nullptr)) return heap;
  }
  return start_heap(false);
}

ANA_COLD void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

// write(2) and not stdio: the program may be anywhere, inside stdio too.
[[noreturn]] ANA_COLD void bad_pointer(const char* function, const char* what, const void* p) {
  char text[160];
  size_t n = 0;
  auto add = [&](const char* s) {
    while (*s && n < sizeof text - 20) text[n++] = *s++;
  };
  add("anaphora runtime: ");
  add(function);
  add("(): ");
  add(what);
  add(" 0x");
  uint64_t value = reinterpret_cast<uint64_t>(p);
  int shift = 60;
  while (shift && !(value >> shift)) shift -= 4;
  for (; shift >= 0; shift -= 4) text[n++] = "0123456789abcdef"[(value >> shift) & 15];
  text[n++] = '\n';
  if (write(STDERR_FILENO, text, n) < 0) n = 0;
  abort();
}

ANA_COLD Block allocate_large(size_t bytes, size_t alignment) {
  if (!own_heap()) return {};
  PoolSection section;
  return large_allocate(bytes, alignment);
}

ANA_COLD Block allocate_for_loader(size_t bytes) {
  SlotHeap* heap = g_started ? g_loader_heaps[current_slot()] : nullptr;
  if (!heap) heap = start_heap(true);
  if (!heap) return {};
  return bytes <= kMaxSmall ? allocate_small(*heap, class_of(bytes)) : heap->large_of_loader(bytes);
}

ANA_INLINE Block allocate(size_t bytes, const void* caller) {
  if (called_by_loader(caller)) return allocate_for_loader(bytes);
  if (ANA_UNLIKELY(bytes > kMaxSmall)) return allocate_large(bytes, kSpanBytes);
  SlotHeap* heap = own_heap();
  if (ANA_UNLIKELY(!heap)) return {};
  HeapLock lock(*heap);
  return allocate_small(*heap, class_of(bytes));
}

Block allocate_aligned(size_t alignment, size_t bytes, const void* caller) {
  if (alignment <= kMinBlock) return allocate(bytes, caller);
  if (bytes == 0) bytes = 1;
  if (bytes <= kMaxSmall && alignment <= kSpanBytes) {
    // The first class of blocks that all start at multiples of the alignment; at worst the next power of two.
    uint64_t whole = (bytes + alignment - 1) & ~(static_cast<uint64_t>(alignment) - 1);
    for (uint32_t c = whole <= kMaxSmall ? class_of(whole) : kClasses + 1; c <= kClasses; ++c) {
      if (kTable.at[c].bytes % alignment == 0) return allocate(kTable.at[c].bytes, caller);
    }
  }
  return allocate_large(bytes, alignment);
}

bool in_program(const void* pc) {
  bool in_runtime = pc >= &__start_ana_runtime && pc < &__stop_ana_runtime;
  return pc >= &__executable_start && pc < &etext && !in_runtime;
}

// The program asks libraries for memory, as operator new: the first address of the program's above is where it called.
ANA_COLD void tell_block(Told what, const void* p, size_t bytes, const void* caller) {
  constexpr uint32_t kWords = 32;
  if (called_by_loader(caller)) return;
  auto* frame = static_cast<const void* const*>(__builtin_frame_address(0));
  for (uint32_t i = 2; !in_program(caller) && i < kWords; ++i) {
    if (in_program(frame[i])) caller = frame[i];
  }
  g_host->tell(what, p, bytes, caller);
}

// A new block, before anything is done with it.
ANA_INLINE Block noted(Block block, size_t bytes, const void* caller) {
  if (telling() && block.at) tell_block(Told::kAllocate, block.at, bytes, caller);
  return block;
}

inline void* given(Block block) { return ANA_LIKELY(block.at != nullptr) ? block.at : no_memory(); }

// The loader's part of the region, hosted only.
ANA_COLD bool in_loader_arena(const void* p) {
  uint64_t offset = static_cast<uint64_t>(static_cast<const char*>(p) - g_region.base);
  if (!is_hosts() || offset < kLoaderOffset) return false;
  uint64_t slot = (offset - kLoaderOffset) / kLoaderStride;
  return slot < kMaxSlots && g_loader_heaps[slot] && p < g_loader_heaps[slot]->segment;
}

// The class of the small block that starts at `p`, which lies in the region; 0: none.
inline uint32_t small_class_of(const void* p) {
  uint64_t index = span_index(p);
  Span span = g_region.spans[index];
  if (ANA_UNLIKELY(span.kind == kUnused || span.kind > kClasses)) return 0;
  uint64_t offset = static_cast<uint64_t>(static_cast<const char*>(p) - span_address(index - span.offset));
  return ANA_LIKELY(starts_block(span.kind, offset)) ? span.kind : 0;
}

inline bool in_region(const void* p) {
  uint64_t offset = static_cast<uint64_t>(static_cast<const char*>(p) - g_region.base);
  return offset < __atomic_load_n(&g_region.used, __ATOMIC_RELAXED);  // pairs with grow_region()
}

// Bytes of the block that starts at `p`; 0: no block starts there.
size_t usable_bytes(const void* p) {
  if (!in_region(p) && !in_loader_arena(p)) return 0;
  if (uint32_t c = small_class_of(p)) return kTable.at[c].bytes;
  uint64_t index = span_index(p);
  bool large = g_region.spans[index].kind == kLarge && span_address(index) == p;
  return large ? g_region.spans[index].count * kPageBytes : 0;
}

ANA_COLD void free_other(void* p) {
  if (in_loader_arena(p)) {
    uint32_t c = small_class_of(p);
    SlotHeap* heap = g_loader_heaps[current_slot()];
    if (!heap) heap = start_heap(true);
    if (c ? heap && !free_small(*heap, c, p) : usable_bytes(p) == 0) bad_pointer("free", "invalid pointer", p);
    return;
  }
  if (in_region(p)) {
    // What the span table says of large blocks is ordered, so the verdict falls inside the section.
    PoolSection section;
    if (large_free(p)) return;
  }
  bad_pointer("free", "invalid pointer (not allocated, or freed already)", p);
}

ANA_INLINE bool free_in(SlotHeap& heap, uint32_t size_class, void* p) {
  HeapLock lock(heap);
  return free_small(heap, size_class, p);
}

ANA_INLINE void free_block(void* p, const void* caller) {
  if (!p) return;
  if (telling()) tell_block(Told::kFree, p, 0, caller);
  if (ANA_LIKELY(in_region(p))) {
    uint32_t c = small_class_of(p);
    SlotHeap* heap = own_heap();
    if (ANA_LIKELY(c != 0 && heap != nullptr)) {
      if (ANA_UNLIKELY(!free_in(*heap, c, p))) bad_pointer("free", "double free of", p);
      return;
    }
  }
  free_other(p);
}

void* reallocate(void* p, size_t bytes, const void* caller) {
  if (!p) return given(noted(allocate(bytes, caller), bytes, caller));
  if (bytes == 0) {
    free_block(p, caller);
    return nullptr;
  }
  size_t old = usable_bytes(p);
  if (!old) bad_pointer("realloc", "invalid pointer", p);
  if (old > kMaxSmall && bytes > kMaxSmall && in_region(p)) {
    PoolSection section;
    if (large_resize(p, bytes)) return p;
  } else if (bytes <= old && (bytes >= old / 2 || old <= 64)) {
    return p;
  }
  void* block = given(noted(allocate(bytes, caller), bytes, caller));
  if (!block) return nullptr;
  size_t kept = old < bytes ? old : bytes;
  if (called_by_loader(caller)) {
    memcpy(block, p, kept);
  } else {
    access::copy(block, p, kept);
  }
  free_block(p, caller);
  return block;
}

void* allocate_zero(size_t count, size_t each, const void* caller) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) return no_memory();
  Block block = noted(allocate(bytes, caller), bytes, caller);
  if (!block.at || block.zero) return given(block);
  if (called_by_loader(caller)) {
    memset(block.at, 0, bytes);
  } else {
    access::fill(block.at, 0, bytes);  // somebody may still look at what was freed
  }
  return block.at;
}

Block allocate_noted(size_t alignment, size_t bytes, const void* caller) {
  return noted(allocate_aligned(alignment, bytes, caller), bytes, caller);
}

inline bool is_power_of_two(size_t value) { return value && !(value & (value - 1)); }

}  // namespace

bool owns_block(const void* p) { return in_region(p) || in_loader_arena(p); }

}  // namespace ana

#define ANA_CALLER __builtin_return_address(0)

// Not weak: memory that libc itself takes and gives back, when threads end, must be the recorder's.
ANA_EXPORT_STRONG void* malloc(size_t bytes) noexcept {
  return ana::given(ana::noted(ana::allocate(bytes, ANA_CALLER), bytes, ANA_CALLER));
}

ANA_EXPORT_STRONG void free(void* p) noexcept { ana::free_block(p, ANA_CALLER); }
ANA_EXPORT_STRONG void cfree(void* p) noexcept { ana::free_block(p, ANA_CALLER); }

ANA_EXPORT_STRONG void* calloc(size_t count, size_t each) noexcept { return ana::allocate_zero(count, each, ANA_CALLER); }
ANA_EXPORT_STRONG void* realloc(void* p, size_t bytes) noexcept { return ana::reallocate(p, bytes, ANA_CALLER); }

ANA_EXPORT_STRONG void* reallocarray(void* p, size_t count, size_t each) noexcept {
  size_t bytes;
  return __builtin_mul_overflow(count, each, &bytes) ? ana::no_memory() : ana::reallocate(p, bytes, ANA_CALLER);
}

ANA_EXPORT_STRONG void* memalign(size_t alignment, size_t bytes) noexcept {
  size_t power = 16;  // as glibc: an alignment that is no power of two is rounded up to one
  while (power < alignment && power < size_t{1} << 62) power *= 2;
  return ana::given(ana::allocate_noted(power, bytes, ANA_CALLER));
}

ANA_EXPORT_STRONG void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (!ana::is_power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return ana::given(ana::allocate_noted(alignment, bytes, ANA_CALLER));
}

ANA_EXPORT_STRONG int posix_memalign(void** to, size_t alignment, size_t bytes) noexcept {
  if (alignment % sizeof(void*) != 0 || !ana::is_power_of_two(alignment)) return EINVAL;
  void* block = ana::allocate_noted(alignment, bytes, ANA_CALLER).at;
  if (!block) return ENOMEM;
  ana::access::write(to, sizeof *to);
  *to = block;
  return 0;
}

ANA_EXPORT_STRONG void* valloc(size_t bytes) noexcept { return ana::given(ana::allocate_noted(4096, bytes, ANA_CALLER)); }

ANA_EXPORT_STRONG void* pvalloc(size_t bytes) noexcept {
  if (bytes > SIZE_MAX - 4095) return ana::no_memory();
  return ana::given(ana::allocate_noted(4096, (bytes + 4095) & ~size_t{4095}, ANA_CALLER));
}

ANA_EXPORT_STRONG size_t malloc_usable_size(void* p) noexcept { return p ? ana::usable_bytes(p) : 0; }

// The knobs and statistics of glibc's allocator, which would otherwise act on a heap that nobody uses.
ANA_EXPORT_STRONG int mallopt(int, int) noexcept { return 1; }
ANA_EXPORT_STRONG int malloc_trim(size_t) noexcept { return 0; }
ANA_EXPORT_STRONG struct mallinfo mallinfo() noexcept { return {}; }
ANA_EXPORT_STRONG struct mallinfo2 mallinfo2() noexcept { return {}; }
ANA_EXPORT_STRONG void malloc_stats() noexcept {}
