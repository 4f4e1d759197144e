// mlockall. All memory would be the runtime's tables as well, of which a program has terabytes of addresses, recorded
// or not: so nothing is locked.
#include <errno.h>
#include <sys/mman.h>

#include "runtime/interpose/runtime.h"

ANA_EXPORT int mlockall(int flags) {
  constexpr unsigned kAll = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
  if (flags != 0 && flags != MCL_ONFAULT && !(static_cast<unsigned>(flags) & ~kAll)) return 0;
  errno = EINVAL;
  return -1;
}
