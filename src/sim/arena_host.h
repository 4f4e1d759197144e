// The host of the algorithms in the simulator: one thread, memory in slabs with a free list per size, every byte
// counted.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "algorithms/event.h"

namespace ana::sim {

class ArenaHost {
 public:
  static constexpr bool kShared = false;

  void* allocate(size_t bytes) {
    size_t unit = units(bytes);
    used_ += unit * kUnit;
    if (used_ > peak_) peak_ = used_;
    if (unit >= kFreeLists) return ::operator new(unit* kUnit);
    if (Free* block = free_[unit]) {
      free_[unit] = block->next;
      return block;
    }
    if (left_ < unit * kUnit) refill();
    void* block = next_;
    next_ += unit * kUnit;
    left_ -= unit * kUnit;
    return block;
  }

  void release(void* block, size_t bytes) {
    size_t unit = units(bytes);
    used_ -= unit * kUnit;
    if (unit >= kFreeLists) {
      ::operator delete(block);
      return;
    }
    auto* free = static_cast<Free*>(block);
    free->next = free_[unit];
    free_[unit] = free;
  }

  void pause(int&) { std::abort(); }  // there is nobody to wait for

  size_t used() const { return used_; }
  size_t peak() const { return peak_; }

 private:
  struct Free {
    Free* next;
  };
  static constexpr size_t kUnit = 16, kFreeLists = 1024, kSlab = 1 << 20;

  static size_t units(size_t bytes) { return bytes == 0 ? 1 : (bytes + kUnit - 1) / kUnit; }
  void refill() {
    slabs_.emplace_back(static_cast<std::byte*>(::operator new(kSlab)));
    next_ = slabs_.back().get();
    left_ = kSlab;
  }
  struct Delete {
    void operator()(std::byte* slab) const { ::operator delete(slab); }
  };

  Free* free_[kFreeLists] = {};
  std::byte* next_ = nullptr;
  size_t left_ = 0, used_ = 0, peak_ = 0;
  std::vector<std::unique_ptr<std::byte, Delete>> slabs_;
};
static_assert(algorithms::Host<ArenaHost>);

}  // namespace ana::sim
