// The part of the runtime that is linked into every program: wrappers of library functions.
//
// Rules: no exceptions, no RTTI, no static constructors, nothing from libstdc++; linkable into C. A wrapper is an ordinary
// exported function that hides the library's; it reaches the real one by ANA_REAL. Outside a recording (`passive`) it
// is a plain call of the real one.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "runtime/host_api.h"

// Weak: a program may have functions of its own with names that the library uses as well.
#define ANA_EXPORT extern "C" __attribute__((visibility("default"), weak))
#define ANA_EXPORT_STRONG extern "C" __attribute__((visibility("default")))

namespace ana {

// Null when the program runs without anaphora.
extern const HostApi* g_host;
extern bool g_started;
// Finds the host, or makes up a gs block. Idempotent; before anything else, also before constructors.
void ensure_started();
// Passive: a gs block for the calling thread; once, for the main thread, with what else that needs.
void give_passive_block();
void passive_start();
// Not passive: for the main thread, before the first of the others.
void threads_start();

inline bool passive() { return !g_host; }
inline bool recording() { return g_host && g_host->mode == Mode::kRecord; }
inline bool replaying() { return g_host && g_host->mode == Mode::kReplay; }

// A replay in which somebody wants to know more than the host sees.
inline bool telling() { return __builtin_expect(g_host && g_host->telling != Telling::kNothing, 0); }

inline uint32_t current_slot() {
  uint32_t slot;
  asm volatile("movl %%gs:%c1, %0" : "=r"(slot) : "i"(ANA_GS_SLOT));
  return slot;
}

template <class F>
struct PointerTo {
  using Type = F*;
};

// The library's function behind a wrapper. `version` null: the default one. All that are linked in are looked for when
// a recorded program starts: the loader's lock must not make a thread sleep where a wrapper already holds memory.
struct RealFunction {
  const char *name, *version;
  void* found;
};
void* find_real(RealFunction& function);

#define ANA_REAL_AS(type, name, version)                                                                        \
  (*[]() -> ::ana::PointerTo<type>::Type {                                                                      \
    __attribute__((section("ana_real_functions"))) static ::ana::RealFunction function{name, version, nullptr}; \
    void* found = __atomic_load_n(&function.found, __ATOMIC_RELAXED);                                           \
    if (__builtin_expect(!found, 0)) found = ::ana::find_real(function);                                        \
    return reinterpret_cast<::ana::PointerTo<type>::Type>(found);                                               \
  }())
#define ANA_REAL(fn) ANA_REAL_AS(decltype(fn), #fn, nullptr)

// Output functions of streams that returned without telling (iostream.cc). Before operations, so that replay does the same.
extern __thread uint32_t t_open_streams __attribute__((tls_model("initial-exec")));
// Those whose sentries lie below `live`: stacks grow downwards.
void close_dead_streams(const void* live);
uint32_t count_dead_streams(const void* live);
[[gnu::always_inline]] inline void leave_dead_streams() {
  if (__builtin_expect(t_open_streams, 0)) close_dead_streams(__builtin_frame_address(0));
}

// Counts; true if something is due at this count.
inline bool count_reaches_limit() {
  uint64_t now, limit;
  asm volatile("incq %%gs:%c2\n\tmovq %%gs:%c2, %0\n\tmovq %%gs:%c3, %1"
               : "=r"(now), "=r"(limit)
               : "i"(ANA_GS_COUNT), "i"(ANA_GS_LIMIT)
               : "memory", "cc");
  return __builtin_expect(now >= limit, 0);
}

// An operation (host_api.h). Nothing when passive.
class Operation {
 public:
  Operation() {
    leave_dead_streams();
    if (g_host && count_reaches_limit()) g_host->op_due(false);
  }
  ~Operation() {
    if (g_host && count_reaches_limit()) g_host->op_due(true);
  }
  Operation(const Operation&) = delete;
};

// A section on a program's object, or on one of the host's.
class Section {
 public:
  explicit Section(const void* object) : object_(object) {
    leave_dead_streams();
    if (g_host) g_host->section_enter(object_, true);
  }
  ~Section() {
    if (g_host) g_host->section_leave(object_, true);
  }
  Section(const Section&) = delete;

 private:
  const void* object_;
};

class KnownSection {
 public:
  explicit KnownSection(WellKnown object) : object_(object) {
    if (g_host) g_host->known_enter(object_);
  }
  ~KnownSection() {
    if (g_host) g_host->known_leave(object_);
  }
  KnownSection(const KnownSection&) = delete;

 private:
  WellKnown object_;
};

// Record only: the thread may block in between.
class Blocking {
 public:
  Blocking() { g_host->block_enter(); }
  ~Blocking() { g_host->block_exit(); }
  Blocking(const Blocking&) = delete;
};

}  // namespace ana
