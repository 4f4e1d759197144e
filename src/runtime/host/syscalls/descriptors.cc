// Calls on descriptors whose row depends on an argument, and those that change which descriptors are shown (shown.h).
#include <asm/termbits.h>
#include <asm/termios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/objects.h"
#include "runtime/host/relay.h"
#include "runtime/host/start.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/kept_files.h"
#include "runtime/host/syscalls/rows.h"
#include "runtime/host/syscalls/shown.h"
#include "runtime/host/syscalls/special.h"

namespace ana {
namespace {

constexpr SyscallRow kResultOnly = rows::log(), kWaits = rows::wait();

struct Request {
  uint32_t number;
  uint16_t bytes;  // that it writes to where its argument points
  bool blocks = false;
};

constexpr uint16_t kTermio = sizeof(termio), kTermios = sizeof(termios), kTermios2 = sizeof(termios2), kWindow = 8;
constexpr uint16_t kInterface = 40;  // struct ifreq
constexpr Request kRequests[] = {
    // Terminals.
    {TCGETA, kTermio}, {TCGETS, kTermios}, {TCGETS2, kTermios2}, {TCSETA, 0}, {TCSETS, 0}, {TCSETS2, 0},
    {TCSETAW, 0, true}, {TCSETAF, 0, true}, {TCSETSW, 0, true}, {TCSETSF, 0, true}, {TCSETSW2, 0, true},
    {TCSETSF2, 0, true}, {TCSBRK, 0, true}, {TCSBRKP, 0, true}, {TCXONC, 0}, {TCFLSH, 0}, {TIOCGWINSZ, kWindow},
    {TIOCSWINSZ, 0}, {TIOCGPGRP, 4}, {TIOCSPGRP, 0}, {TIOCGSID, 4}, {TIOCSCTTY, 0}, {TIOCNOTTY, 0}, {TIOCOUTQ, 4},
    {TIOCSTI, 0}, {TIOCEXCL, 0}, {TIOCNXCL, 0}, {TIOCGETD, 4}, {TIOCSETD, 0}, {TIOCMGET, 4}, {TIOCMSET, 0},
    {TIOCMBIS, 0}, {TIOCMBIC, 0}, {TIOCSBRK, 0}, {TIOCCBRK, 0}, {TIOCCONS, 0}, {TIOCVHANGUP, 0},
    // Pseudo terminals.
    {TIOCGPTN, 4}, {TIOCSPTLCK, 0}, {TIOCGPTLCK, 4}, {TIOCGPTPEER, 0}, {TIOCPKT, 0}, {TIOCGPKT, 4}, {TIOCSIG, 0},
    // Any descriptor, and sockets.
    {FIONREAD, 4}, {FIONBIO, 0}, {FIOASYNC, 0}, {FIOCLEX, 0}, {FIONCLEX, 0}, {FIOQSIZE, 8}, {SIOCATMARK, 4},
    {FIOSETOWN, 0}, {FIOGETOWN, 4}, {SIOCSPGRP, 0}, {SIOCGPGRP, 4},
    // Interfaces of networks.
    {SIOCGIFNAME, kInterface}, {SIOCGIFINDEX, kInterface}, {SIOCGIFFLAGS, kInterface}, {SIOCGIFADDR, kInterface},
    {SIOCGIFNETMASK, kInterface}, {SIOCGIFBRDADDR, kInterface}, {SIOCGIFDSTADDR, kInterface},
    {SIOCGIFHWADDR, kInterface}, {SIOCGIFMTU, kInterface}, {SIOCGIFMETRIC, kInterface}, {SIOCGIFTXQLEN, kInterface},
    // File systems and block devices.
    {FS_IOC_GETFLAGS, 4}, {FS_IOC_SETFLAGS, 0}, {FS_IOC_GETVERSION, 4}, {FIGETBSZ, 4}, {FICLONE, 0, true},
    {FICLONERANGE, 0, true}, {BLKGETSIZE64, 8}, {BLKGETSIZE, 8}, {BLKSSZGET, 4}, {BLKBSZGET, 4}, {BLKROGET, 4},
};

bool is_known_command(long command) {
  switch (command) {
    case F_DUPFD: case F_DUPFD_CLOEXEC: case F_GETFD: case F_SETFD: case F_GETFL: case F_SETFL: case F_SETLK:
    case F_OFD_SETLK: case F_GETOWN: case F_SETOWN: case F_SETOWN_EX: case F_GETSIG: case F_SETSIG: case F_SETLEASE:
    case F_GETLEASE: case F_NOTIFY: case F_SETPIPE_SZ: case F_GETPIPE_SZ: case F_ADD_SEALS: case F_GET_SEALS:
    case F_SET_RW_HINT: case F_SET_FILE_RW_HINT: return true;
  }
  return false;
}

// The call's result becomes another name of `from`.
long duplicate(const SyscallRow& row, long number, long* args, long from, bool to_standard = false) {
  OutputGuard guard(from, to_standard);
  long result = logged_call(row, number, args);
  if (!is_error(result)) set_shown(result, guard.shown());
  return result;
}

// Asks the kernel, which does not mind: a futex that nobody waits for, with no time to wait.
bool is_readable(const void* at) {
  constexpr timespec kNoTime{};
  auto word = align_down(reinterpret_cast<uint64_t>(at), 4);
  return raw(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &kNoTime) != -EFAULT;
}

// The descriptor that a path is another name of, or -1.
long named_descriptor(const char* path) {
  if (!is_readable(path) || path[0] != '/') return -1;
  if (equal(path, "/dev/stdout")) return 1;
  if (equal(path, "/dev/stderr")) return 2;
  constexpr const char* kDirectories[] = {"/dev/fd/", "/proc/self/fd/"};
  for (const char* directory : kDirectories) {
    if (!starts_with(path, directory)) continue;
    const char* digits = path + length(directory);
    if (digits[0] >= '1' && digits[0] <= '9' && !digits[1]) return digits[0] - '0';
  }
  return -1;
}

constexpr uint32_t kOwnDescriptors = 1 + kRelayDescriptors;
// Null: there is no such one.
int* own_descriptor(uint32_t index) { return index ? relay_descriptor(index - 1) : &g_session_fd; }

// The first of the host's own at `first` or above, or ~0.
unsigned next_own(unsigned first) {
  unsigned next = ~0u;
  for (uint32_t i = 0; i < kOwnDescriptors; ++i) {
    const int* own = own_descriptor(i);
    if (own && static_cast<unsigned>(*own) >= first && static_cast<unsigned>(*own) < next) next = *own;
  }
  return next;
}

// The host's own descriptors are not there for the program: daemons close all that they might have inherited.
long close_but_own(long number, unsigned first, unsigned last, long flags) {
  unsigned own = next_own(first);
  if (number == SYS_close) return first == own ? -EBADF : raw(SYS_close, first);
  if (first > last) return raw(number, first, last, flags);
  for (; own <= last; own = next_own(first)) {
    long result = own > first ? raw(number, first, own - 1, flags) : 0;
    if (is_error(result) || own == last) return result;
    first = own + 1;
  }
  return raw(number, first, last, flags);
}

long logged_close(long number, const long* args) {
  if (replaying()) return logged_result(number, 0, nullptr, 0);
  auto first = static_cast<unsigned>(args[0]), last = static_cast<unsigned>(args[1]);
  return logged_result(number, close_but_own(number, first, last, args[2]), nullptr, 0);
}

// Before the program takes the number for itself.
void move_own(long to) {
  if (!recording()) return;
  for (uint32_t i = 0; i < kOwnDescriptors; ++i) {
    int* own = own_descriptor(i);
    if (!own || to != *own) continue;
    long moved = raw(SYS_fcntl, *own, F_DUPFD_CLOEXEC, *own + 1);
    if (is_error(moved)) fatal(ReportKind::kUnsupportedFeature, "a program that uses all descriptors that it may have");
    *own = static_cast<int>(moved);
  }
}

}  // namespace

bool names_program(const char* path) { return is_readable(path) && equal(path, "/proc/self/exe"); }

long special_open(long number, long* args) {
  long& name = args[number == SYS_open || number == SYS_creat ? 0 : 1];
  auto* path = reinterpret_cast<const char*>(name);
  if (names_program(path)) name = reinterpret_cast<long>(program_path());
  long same = named_descriptor(path);
  return same < 0 ? logged_call(kWaits, number, args) : duplicate(kWaits, number, args, same);
}

long special_fcntl(long number, long* args) {
  switch (args[1]) {
    case F_GETLK: case F_OFD_GETLK: return logged_call(rows::log(rows::fixed(2, sizeof(struct flock))), number, args);
    case F_SETLKW: case F_OFD_SETLKW: return logged_call(kWaits, number, args);
    case F_GETOWN_EX: case F_GET_RW_HINT: case F_GET_FILE_RW_HINT:
      return logged_call(rows::log(rows::fixed(2, 8)), number, args);
  }
  if (!is_known_command(args[1])) fatal(ReportKind::kUnsupportedSyscall, "fcntl command", number, args[1]);
  bool duplicates = args[1] == F_DUPFD || args[1] == F_DUPFD_CLOEXEC;
  return duplicates ? duplicate(kResultOnly, number, args, args[0]) : logged_call(kResultOnly, number, args);
}

long special_dup(long number, long* args) {
  ChangesDescriptors changes;
  if (number != SYS_dup) move_own(args[1]);
  return duplicate(kResultOnly, number, args, args[0], number != SYS_dup && is_standard_output(args[1]));
}

long special_close(long number, long* args) {
  ChangesDescriptors changes;
  bool range = number == SYS_close_range;
  auto first = static_cast<unsigned>(args[0]), last = range ? static_cast<unsigned>(args[1]) : first;
  if (range && (args[2] & CLOSE_RANGE_CLOEXEC)) return logged_close(number, args);
  if (first > 2) {
    clear_shown(first, last);
    return logged_close(number, args);
  }
  KnownGuard ordered(WellKnown::kOutput);
  clear_shown(first, last);
  return logged_close(number, args);
}

long special_ioctl(long number, long* args) {
  for (const Request& request : kRequests) {
    if (request.number != static_cast<uint32_t>(args[1])) continue;
    if (request.blocks) return logged_call(kWaits, number, args);
    return logged_call(request.bytes ? rows::log(rows::fixed(2, request.bytes)) : kResultOnly, number, args);
  }
  fatal(ReportKind::kUnsupportedSyscall, "ioctl request", number, static_cast<uint32_t>(args[1]));
}

}  // namespace ana
