#include "runtime/host/syscalls/kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/host/crc32c.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/stream.h"

namespace ana {
namespace {

// Smaller files, and smaller reads, cost less in the stream.
constexpr int64_t kSmallestFile = 1 << 20;
constexpr long kSmallestRead = 4096;
constexpr int kAnswerMilliseconds = 10, kAnswerTries = 200;

SpinLock g_lock;  // entering files, and which parts of them are referred to

// What is known of the program's first descriptors: how often meanings had changed by then, and in the low bits the
// number of the file + 1, or 0 if it is none that is kept. Changes that are being made count in g_changing.
constexpr uint32_t kKnownDescriptors = 1024, kFileBits = 8;
uint64_t g_known[kKnownDescriptors], g_changes;
uint32_t g_changing;

struct Locked {
  Locked() { g_lock.lock(); }
  ~Locked() { g_lock.unlock(); }
};

bool is_read(long number) { return number == SYS_read || number == SYS_pread64; }

KeptState state_of(const KeptFile& file) {
  return static_cast<KeptState>(__atomic_load_n(&file.state, __ATOMIC_SEQ_CST));
}

// The tool opens the file, and sees to it that nobody writes to it without telling.
bool ask_for(KeptFile& file, int descriptor) {
  file.descriptor = static_cast<uint32_t>(descriptor);
  __atomic_store_n(&file.state, static_cast<uint32_t>(KeptState::kAsked), __ATOMIC_SEQ_CST);
  ring_doorbell();
  timespec limit{0, kAnswerMilliseconds * 1'000'000};
  auto asked = static_cast<uint32_t>(KeptState::kAsked);
  for (int n = 0; n < kAnswerTries && state_of(file) == KeptState::kAsked; ++n)
    raw(SYS_futex, &file.state, FUTEX_WAIT, asked, &limit);
  __atomic_compare_exchange_n(&file.state, &asked, static_cast<uint32_t>(KeptState::kRefused), false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return state_of(file) == KeptState::kGranted;
}

// "/proc/self/fd/<descriptor>"
void name_descriptor(char* to, int descriptor) {
  constexpr char kPrefix[] = "/proc/self/fd/";
  memcpy(to, kPrefix, sizeof(kPrefix));
  char digits[12];
  int n = 0;
  for (; descriptor || !n; descriptor /= 10) digits[n++] = static_cast<char>('0' + descriptor % 10);
  for (to += sizeof(kPrefix) - 1; n; *to++ = digits[--n]) {}
  *to = 0;
}

// In each stream that refers to it: another one may be lost.
void tell_file(Slot& slot, uint32_t number, int descriptor) {
  if (slot.kept_told >> number & 1) return;
  slot.kept_told |= uint64_t{1} << number;
  struct stat info {};
  raw(SYS_fstat, descriptor, &info);
  struct {
    KeptRecord record;
    char path[kMaxPath];
  } all;
  all.record = {static_cast<uint64_t>(info.st_size), info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  char link[32];
  name_descriptor(link, descriptor);
  long length = raw(SYS_readlink, link, all.path, kMaxPath - 1);
  if (is_error(length)) length = 0;
  all.path[length] = 0;
  put_value(slot, kOpKeptFile, number, &all, static_cast<uint32_t>(sizeof(KeptRecord) + length + 1));
}

// Its number, or kNoKeptFile.
uint32_t enter_file(int descriptor, const struct stat& info) {
  Locked locked;
  uint32_t used = g_session->kept_used;
  for (uint32_t i = 0; i < used; ++i) {
    const KeptFile& file = g_session->kept[i];
    bool same = file.device == info.st_dev && file.inode == info.st_ino;
    if (same) return state_of(file) == KeptState::kGranted ? i : kNoKeptFile;
  }
  if (used == kMaxKept || !has_crc32c()) return kNoKeptFile;
  KeptFile& file = g_session->kept[used];
  file.device = info.st_dev;
  file.inode = info.st_ino;
  file.first = ~uint64_t{0};
  __atomic_store_n(&g_session->kept_used, used + 1, __ATOMIC_RELEASE);  // pairs with the tool's acquire
  return ask_for(file, descriptor) ? used : kNoKeptFile;
}

uint32_t look_for_file(int descriptor) {
  struct stat info;
  if (is_error(raw(SYS_fstat, descriptor, &info))) return kNoKeptFile;
  bool large = S_ISREG(info.st_mode) && info.st_size >= kSmallestFile;
  return large ? enter_file(descriptor, info) : kNoKeptFile;
}

// `changes`: the number of changes that the answer belongs to.
uint32_t find_file(int descriptor, uint64_t changes) {
  if (static_cast<uint32_t>(descriptor) >= kKnownDescriptors) return look_for_file(descriptor);
  uint64_t& known = g_known[descriptor];
  uint64_t entry = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (entry >> kFileBits != changes + 1) {
    entry = (changes + 1) << kFileBits | ((look_for_file(descriptor) + 1) & ((1 << kFileBits) - 1));
    __atomic_store_n(&known, entry, __ATOMIC_RELAXED);
  }
  return static_cast<uint32_t>(entry & ((1 << kFileBits) - 1)) - 1;
}

// No change is being made. Read before and after a system call: if both are the same, its descriptor was what it is.
bool stable_descriptors(uint64_t& changes) {
  changes = __atomic_load_n(&g_changes, __ATOMIC_SEQ_CST);
  return !__atomic_load_n(&g_changing, __ATOMIC_SEQ_CST);
}

// A line of every kilobyte, and the end: enough to tell another place or another file. The whole copy has a hash of its
// own in the trace.
uint32_t sample(const char* data, uint64_t bytes) {
  constexpr uint64_t kLine = 64, kStride = 1024;
  uint32_t sum = 0;
  for (uint64_t at = 0; at + kLine < bytes; at += kStride) sum = crc32c(sum, data + at, kLine);
  uint64_t end = bytes < kLine ? bytes : kLine;
  return crc32c(sum, data + bytes - end, end);
}

// The tool stops granting before it looks which bytes are referred to; so here the other way round.
bool refer(KeptFile& file, uint64_t first, uint64_t end) {
  Locked locked;
  if (first < file.first) __atomic_store_n(&file.first, first, __ATOMIC_SEQ_CST);
  if (end > file.end) __atomic_store_n(&file.end, end, __ATOMIC_SEQ_CST);
  return state_of(file) == KeptState::kGranted;
}

void take_buffer(Slot& slot, const long* args, uint64_t room) {
  if (!room) return;
  AnaRange range = write_range(reinterpret_cast<void*>(args[1]), room);
  operation_acquire(slot, &range, 1);
}

}  // namespace

ChangesDescriptors::ChangesDescriptors() {
  __atomic_add_fetch(&g_changing, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&g_changes, 1, __ATOMIC_SEQ_CST);
}

ChangesDescriptors::~ChangesDescriptors() {
  __atomic_add_fetch(&g_changes, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&g_changing, 1, __ATOMIC_SEQ_CST);
}

bool read_kept(Slot& slot, long number, const long* args, long& result) {
  uint64_t changes, changes_after;
  if (!is_read(number) || args[2] < kSmallestRead || !stable_descriptors(changes)) return false;
  auto descriptor = static_cast<int>(args[0]);
  KeptRead log{find_file(descriptor, changes), 0, 0, 0};
  if (log.file == kNoKeptFile || state_of(g_session->kept[log.file]) != KeptState::kGranted) return false;
  bool moves = number == SYS_read;
  long before = moves ? raw(SYS_lseek, descriptor, 0, SEEK_CUR) : args[3];
  if (before < 0) return false;
  tell_file(slot, log.file, descriptor);
  log.offset = static_cast<uint64_t>(before);
  // Not more than there is: buffers may be said to be larger than they are.
  uint64_t all = g_session->kept[log.file].bytes, left = all > log.offset ? all - log.offset : 0;
  log.room = static_cast<uint64_t>(args[2]) < left ? static_cast<uint64_t>(args[2]) : left;
  take_buffer(slot, args, log.room);
  result = raw(number, descriptor, args[1], log.room, args[3]);
  uint64_t bytes = result > 0 ? static_cast<uint64_t>(result) : 0;
  auto* data = reinterpret_cast<const char*>(args[1]);
  bool stayed = !moves || raw(SYS_lseek, descriptor, 0, SEEK_CUR) == before + static_cast<long>(bytes);
  bool same = stable_descriptors(changes_after) && changes == changes_after;
  if (stayed && same && refer(g_session->kept[log.file], log.offset, log.offset + bytes)) {
    log.checksum = sample(data, bytes);
    put_value(slot, kOpKeptRead, result, &log, sizeof(log));
  } else {
    log.file = kNoKeptFile;
    put_value(slot, kOpKeptRead, result, &log, sizeof(log), data, static_cast<uint32_t>(bytes));
  }
  return true;
}

bool replay_kept(Slot& slot, long number, const long* args, long& result) {
  if (!is_read(number)) return false;
  if (next_is(slot, kOpKeptFile)) next_value(slot, kOpKeptFile);
  if (!next_is(slot, kOpKeptRead)) return false;
  const ScheduledValue* value = next_value(slot, kOpKeptRead);
  auto* log = static_cast<const KeptRead*>(value_bytes(value));
  take_buffer(slot, args, log->room);
  result = value->result;
  uint64_t bytes = result > 0 ? static_cast<uint64_t>(result) : 0;
  if (bytes > log->room || log->room > static_cast<uint64_t>(args[2]))
    fatal(ReportKind::kDivergedOutput, "another amount of input", number);
  auto* to = reinterpret_cast<char*>(args[1]);
  if (log->file == kNoKeptFile) {
    memcpy(to, log + 1, bytes);
    return true;
  }
  for (uint64_t done = 0; done < bytes;) {
    long n = raw(SYS_pread64, g_session->kept[log->file].descriptor, to + done, bytes - done, log->offset + done);
    if (n <= 0) break;  // the checksum will tell
    done += static_cast<uint64_t>(n);
  }
  if (sample(to, bytes) != log->checksum) fatal(ReportKind::kKeptChanged, "", log->file, log->offset);
  return true;
}

}  // namespace ana
