// Directory streams. A DIR has a lock and a buffer like a FILE, and is a section like one.
#include "runtime/interpose/libc_wrappers.h"

#include <dirent.h>

#define ANA_DIRECTORY(result, name, parameters, arguments, ...) \
  ANA_EXPORT result name parameters {                           \
    ana::Section section(dir);                                  \
    __VA_ARGS__;                                                \
    return ANA_REAL(name) arguments;                            \
  }

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

using ana::access::write_all;

ANA_DIRECTORY(struct dirent*, readdir, (DIR * dir), (dir))
ANA_DIRECTORY(struct dirent64*, readdir64, (DIR * dir), (dir))
ANA_DIRECTORY(int, readdir_r, (DIR * dir, struct dirent* to, struct dirent** r), (dir, to, r),
              write_all(to, sizeof *to), write_all(r, sizeof *r))
ANA_DIRECTORY(int, readdir64_r, (DIR * dir, struct dirent64* to, struct dirent64** r), (dir, to, r),
              write_all(to, sizeof *to), write_all(r, sizeof *r))
ANA_DIRECTORY(void, rewinddir, (DIR * dir) noexcept, (dir))
ANA_DIRECTORY(void, seekdir, (DIR * dir, long at) noexcept, (dir, at))
ANA_DIRECTORY(long, telldir, (DIR * dir) noexcept, (dir))
ANA_DIRECTORY(int, closedir, (DIR * dir), (dir))
