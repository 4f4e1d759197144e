// The dynamic loader, and the lists of what runs at exit. See libc_wrappers.h.
//
// Constructors and destructors of libraries run inside the section, and inside the loader's own lock; that is why
// everything that takes this lock is ordered here.
#include "runtime/interpose/libc_wrappers.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

extern "C" {
int __cxa_atexit(void (*)(void*), void*, void*) noexcept;
int __cxa_at_quick_exit(void (*)(void*), void*) noexcept;
int __cxa_thread_atexit_impl(void (*)(void*), void*, void*) noexcept;
}

using ana::access::read_string;

ANA_IN_LIBC(void*, dlopen, (const char* path, int flags) noexcept, (path, flags), read_string(path))
ANA_IN_LIBC(void*, dlmopen, (Lmid_t space, const char* path, int flags) noexcept, (space, path, flags),
            read_string(path))
ANA_IN_LIBC(int, dlclose, (void* handle) noexcept, (handle))
ANA_IN_LIBC(int, dladdr, (const void* at, Dl_info* to) noexcept, (at, to), ana::access::write_all(to, sizeof *to))
ANA_IN_LIBC(int, dladdr1, (const void* at, Dl_info* to, void** more, int flags) noexcept, (at, to, more, flags),
            ana::access::write_all(to, sizeof *to))
ANA_IN_LIBC(int, dlinfo, (void* handle, int request, void* to) noexcept, (handle, request, to))
ANA_IN_LIBC(int, dl_iterate_phdr, (int (*visit)(struct dl_phdr_info*, size_t, void*), void* with), (visit, with))

namespace ana {
namespace {

using Lookup = void*(void*, const char*);

char* (*g_real_dlerror)();

// Not by ANA_REAL: that is made of dlsym(). And dlerror() is found at the same time: every successful look-up clears
// the error that it is about to report.
Lookup* real_dlsym() {
  static Lookup* found;
  if (__builtin_expect(!found, 0)) {
    found = reinterpret_cast<Lookup*>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
    if (!found) found = reinterpret_cast<Lookup*>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
    g_real_dlerror = reinterpret_cast<char* (*)()>(found(RTLD_NEXT, "dlerror"));
  }
  return found;
}

void* look_up_in(void* handle, const char* name) {
  KnownSection section(WellKnown::kLibc);
  read_string(name);
  return real_dlsym()(handle, name);
}

// For an answer that depends on the caller: the order comes first, then the call as if from there.
void order_with_loads() { KnownSection section(WellKnown::kLibc); }

}  // namespace
}  // namespace ana

// RTLD_NEXT and RTLD_DEFAULT mean "as seen by the caller", whom the loader knows by the return address: hence the tail
// calls. RTLD_NEXT is not ordered at all: the wrappers themselves ask by it, once, at any time.
ANA_EXPORT void* dlsym(void* handle, const char* name) noexcept {
  ana::Lookup* real = ana::real_dlsym();
  if (!ana::passive() && handle != RTLD_NEXT) {
    if (handle != RTLD_DEFAULT) return ana::look_up_in(handle, name);
    ana::order_with_loads();
  }
  [[clang::musttail]] return real(handle, name);
}

ANA_EXPORT char* dlerror() noexcept {
  ana::KnownSection section(ana::WellKnown::kLibc);
  ana::real_dlsym();
  return ana::g_real_dlerror();
}

// The order in which things are registered is the order in which they run; and the list has a lock, under which it
// grows by calloc().
ANA_IN_LIBC(int, __cxa_atexit, (void (*f)(void*), void* with, void* library) noexcept, (f, with, library))
ANA_IN_LIBC(int, __cxa_at_quick_exit, (void (*f)(void*), void* library) noexcept, (f, library))
ANA_IN_LIBC(int, __cxa_thread_atexit_impl, (void (*f)(void*), void* with, void* library) noexcept, (f, with, library))
ANA_IN_LIBC(int, on_exit, (void (*f)(int, void*), void* with) noexcept, (f, with))
