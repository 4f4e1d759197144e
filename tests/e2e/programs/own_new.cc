// Replaced operator new and delete, a new handler, placement, allocators of the program's own, aligned objects.
#include <cstddef>
#include <list>
#include <memory>
#include <new>
#include <vector>

#include "support.h"

static size_t allocated;  // races

void* operator new(size_t bytes) {
  allocated += bytes;
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t bytes) noexcept {
  allocated -= bytes;
  std::free(block);
}

template <class T>
struct Arena {
  using value_type = T;
  Arena() = default;
  template <class U>
  Arena(const Arena<U>&) {}
  T* allocate(size_t n) {
    static thread_local std::byte room[1 << 16];
    static thread_local size_t used = 0;
    size_t bytes = (n * sizeof(T) + 15) / 16 * 16;
    if (used + bytes > sizeof room) used = 0;
    used += bytes;
    return reinterpret_cast<T*>(room + used - bytes);
  }
  void deallocate(T*, size_t) {}
  bool operator==(const Arena&) const { return true; }
};

struct alignas(128) Wide {
  int values[8] = {};
};

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(150); i < n; i++) {
    std::vector<int> numbers(static_cast<size_t>(i % 40 + 1), index);
    std::list<int, Arena<int>> chain(numbers.begin(), numbers.end());
    hash = mix(hash, reinterpret_cast<uintptr_t>(numbers.data()) + chain.size());
    auto wide = std::make_unique<Wide>();
    hash = mix(hash, reinterpret_cast<uintptr_t>(wide.get()) % 128 + reinterpret_cast<uintptr_t>(wide.get()));
    alignas(Wide) std::byte room[sizeof(Wide)];
    Wide* placed = new (room) Wide;
    placed->values[3] = index;
    placed->~Wide();
    hash = mix(hash, allocated);
    yield_every(i, 15);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::set_new_handler([] { throw std::bad_alloc(); });
  run_threads(body);
  print_results();
}
