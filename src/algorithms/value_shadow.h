// Replay of traces without write-after-read edges (rwtrace-1, crew-lock): nothing keeps a write from coming before a
// read that came first when it was recorded. So contents that are overwritten are kept for those who may still want
// them, and each read is shown the one that it saw.
//
// Writes of a granule are ordered by the trace, so that their numbers are the recorded ones; 0 is the content before
// the first. A read that was traced as depending on the write (s, p) saw that or something later that it also depends
// on; one that was not saw what its thread saw last: the trace would have an edge otherwise. Hence
//
//   present()    a read: of what its thread saw last and of the writes that its edges name, the latest
//   overwrite()  a write: the present content is kept if somebody saw it last, or has still to come to an edge from it
//
// An edge names its source by thread and *publication*, from 1; 0 is a write that no edge names. The host says which
// publications are still awaited. A granule belongs to who holds its lock; a Seen is one thread's, of one granule,
// and is used under the same lock. All zero is a granule that was never accessed.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

// awaited(): edges that start at this publication have not all been come to. It may say so for too long.
template <class T>
concept Awaiting = requires(const T& host, ThreadIndex thread, uint32_t publication) {
  static_cast<bool>(host.awaited(thread, publication));
};

template <Host H, Awaiting A>
class ValueShadow {
 public:
  using Seen = uint64_t;  // number of the version that the thread saw last

  struct Version {
    Version* next;  // older
    uint64_t number;
    ThreadIndex thread;
    uint32_t publication;
    uint32_t holders;  // threads that saw it last
    unsigned char content[];
  };
  struct Granule {
    uint64_t number;
    Version* former;  // that are kept
    ThreadIndex thread;
    uint32_t publication;
    uint32_t holders;
    uint32_t began_as_zeros;  // and this version is not kept otherwise
  };
  static_assert(sizeof(Granule) == 32);
  static constexpr size_t kMaxBytes = 4096;

  ValueShadow(H& host, const A& awaiting, size_t granule_bytes)
      : host_(host), awaiting_(awaiting), bytes_(granule_bytes) {}

  // What the thread has to see instead of the memory, or null. is_source(thread, publication) is true of the event's
  // edges.
  template <class IsSource>
  const unsigned char* present(Granule& granule, Seen& seen, IsSource is_source) {
    uint64_t wanted = seen;
    if (granule.number > wanted && granule.publication && is_source(granule.thread, granule.publication))
      wanted = granule.number;
    for (const Version* v = granule.former; v && v->number > wanted; v = v->next)
      if (v->publication && is_source(v->thread, v->publication)) wanted = v->number;
    if (wanted != seen) {
      hold(granule, wanted);
      let_go(granule, seen);
      seen = wanted;
    }
    if (wanted == granule.number) return nullptr;
    if (const Version* v = find(granule, wanted)) return v->content;
    return kZeros;
  }

  // Before the write; `memory` is the granule's.
  void overwrite(Granule& granule, Seen& seen, ThreadIndex thread, uint32_t publication, const void* memory) {
    let_go(granule, seen);
    drop_unwanted(granule);
    bool is_wanted = granule.number == 0 || granule.holders || awaited(granule.thread, granule.publication);
    if (is_wanted) keep(granule, static_cast<const unsigned char*>(memory));
    granule.thread = thread;
    granule.publication = publication;
    granule.holders = 1;
    seen = ++granule.number;
  }

  void forget(Granule& granule) {
    while (Version* v = granule.former) {
      granule.former = v->next;
      release(v);
    }
    granule = {};
  }

 private:
  static inline const unsigned char kZeros[kMaxBytes] = {};

  bool awaited(ThreadIndex thread, uint32_t publication) const {
    return publication && awaiting_.awaited(thread, publication);
  }
  void release(Version* v) { host_.release(v, sizeof(Version) + bytes_); }

  static Version* find(const Granule& granule, uint64_t number) {
    for (Version* v = granule.former; v && v->number >= number; v = v->next)
      if (v->number == number) return v;
    return nullptr;
  }

  // The first version is kept for ever, since any thread that has not come yet may want it: nobody counts who does.
  void hold(Granule& granule, uint64_t number) {
    if (number == granule.number) ++granule.holders;
    else if (Version* v = find(granule, number)) ++v->holders;
  }
  void let_go(Granule& granule, uint64_t number) {
    if (number == 0) return;
    if (number == granule.number) --granule.holders;
    else if (Version* v = find(granule, number)) --v->holders;
  }

  void drop_unwanted(Granule& granule) {
    for (Version** at = &granule.former; *at;) {
      Version* v = *at;
      if (v->number == 0 || v->holders || awaited(v->thread, v->publication)) {
        at = &v->next;
      } else {
        *at = v->next;
        release(v);
      }
    }
  }

  void keep(Granule& granule, const unsigned char* memory) {
    if (granule.number == 0) {
      size_t zeros = 0;
      while (zeros < bytes_ && memory[zeros] == 0) ++zeros;
      granule.began_as_zeros = zeros == bytes_;
      if (granule.began_as_zeros) return;
    }
    auto* v = static_cast<Version*>(host_.allocate(sizeof(Version) + bytes_));
    v->next = granule.former;
    v->number = granule.number;
    v->thread = granule.thread;
    v->publication = granule.publication;
    v->holders = granule.holders;
    __builtin_memcpy(v->content, memory, bytes_);
    granule.former = v;
  }

  H& host_;
  const A& awaiting_;
  size_t bytes_;
};

}  // namespace ana::algorithms
