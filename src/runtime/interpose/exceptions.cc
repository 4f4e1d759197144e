// Exceptions that several threads hold (std::exception_ptr, futures). Who drops the last reference destroys the object: a
// destructor of the program's, and a block freed. The counts are in libstdc++, unseen; so where one goes down, the word is
// taken like that of an atomic access of the program's before the library is called.
//
// That suffices: a count goes up only for somebody who has a reference already, so that in a replay, too, only the
// recorded last one comes to zero.
#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/runtime.h"

namespace {

using namespace ana;

constexpr AnaSite kDropSite{0, 0, 0,
                            ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ATOMIC | ANA_SITE_ACQUIRE | ANA_SITE_RELEASE};

void before_drop(void* counter) {
  if (passive()) return;
  AnaRange range = access::range_of(counter, sizeof(int), true);
  access::acquire(&range, 1, &kDropSite);
}

// What the Itanium C++ ABI and libstdc++ put before a thrown object. An exception that was thrown again from an
// exception_ptr has no object of its own, but names another's in its first word.
struct ExceptionHeader {
  void* primary;  // else the type
  void* functions[3];
  ExceptionHeader* next;
  int handlers;
  int switch_value;
  void* handler_data[4];
  alignas(16) uint64_t exception_class;
  uint64_t unwinder[3];
};
static_assert(sizeof(ExceptionHeader) == 112);

constexpr size_t kCountToObject = 16 + sizeof(ExceptionHeader);
constexpr uint64_t kPrimaryClass = 0x474e5543432b2b00;  // "GNUCC++\0"
constexpr uint64_t kDependentClass = kPrimaryClass + 1;

void* counter_of(void* object) { return static_cast<char*>(object) - kCountToObject; }

struct ThreadExceptions {
  ExceptionHeader* caught;
};

// Of std::runtime_error and std::logic_error: copies share one string, which the last of them frees.
void* string_counter(void* exception) {
  struct Layout {
    void* vtable;
    char* text;
  };
  return static_cast<Layout*>(exception)->text - 2 * sizeof(int);
}

}  // namespace

ANA_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** self) {
  if (*self) before_drop(counter_of(*self));
  ANA_REAL_AS(void(void**), "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", nullptr)(self);
}

ANA_EXPORT void __cxa_end_catch() {
  if (!passive()) {
    ExceptionHeader* caught = ANA_REAL_AS(ThreadExceptions*(), "__cxa_get_globals", nullptr)()->caught;
    // Less than one: it is being thrown again.
    if (caught && caught->handlers == 1 && (caught->exception_class & ~1ull) == kPrimaryClass)
      before_drop(counter_of(caught->exception_class == kDependentClass ? caught->primary : caught + 1));
  }
  ANA_REAL_AS(void(), "__cxa_end_catch", nullptr)();
}

#define ANA_STRING_HOLDER(destructor)                                     \
  ANA_EXPORT void destructor(void* self) {                                \
    before_drop(string_counter(self));                                    \
    ANA_REAL_AS(void(void*), #destructor, nullptr)(self);                 \
  }

ANA_STRING_HOLDER(_ZNSt11logic_errorD1Ev)
ANA_STRING_HOLDER(_ZNSt11logic_errorD2Ev)
ANA_STRING_HOLDER(_ZNSt13runtime_errorD1Ev)
ANA_STRING_HOLDER(_ZNSt13runtime_errorD2Ev)
