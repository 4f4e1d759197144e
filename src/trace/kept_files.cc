#include "trace/kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "trace/file_hash.h"
#include "trace/stream_format.h"
#include "trace/trace_directory.h"

namespace ana {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLookInterval = std::chrono::milliseconds(10);
constexpr size_t kCopyStep = 64 << 20, kBufferBytes = 1 << 20;
constexpr const char* kPrefix = "kept-";

void set_state(KeptFile& file, KeptState state) {
  __atomic_store_n(&file.state, static_cast<uint32_t>(state), __ATOMIC_SEQ_CST);
  ::syscall(SYS_futex, &file.state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

ssize_t copy_by_hand(int from, int to, off_t at, size_t bytes) {
  std::vector<char> buffer(std::min(bytes, kBufferBytes));
  ssize_t n = ::pread(from, buffer.data(), buffer.size(), at);
  return n <= 0 ? n : ::pwrite(to, buffer.data(), static_cast<size_t>(n), at);
}

// The bytes [first, end) to the same place, by reference where the file system can. Less if the file is shorter.
Status copy_part(int from, int to, uint64_t first, uint64_t end) {
  bool in_kernel = true;
  while (first < end) {
    auto at = static_cast<off_t>(first);
    off_t in = at, out = at;
    size_t step = std::min<uint64_t>(end - first, kCopyStep);
    ssize_t n = in_kernel ? ::copy_file_range(from, &in, to, &out, step, 0) : copy_by_hand(from, to, at, step);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && in_kernel && errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
      in_kernel = false;
      continue;
    }
    if (n < 0) return system_error("cannot write", errno);
    if (n == 0) break;
    first += static_cast<uint64_t>(n);
  }
  return {};
}

Result<std::string> hash_of(int fd, uint64_t first, uint64_t end) {
  FileHash hash;
  std::vector<char> buffer(kBufferBytes);
  while (first < end) {
    ssize_t n = ::pread(fd, buffer.data(), std::min<uint64_t>(buffer.size(), end - first), static_cast<off_t>(first));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("cannot read", errno);
    if (n == 0) break;
    hash.update(buffer.data(), static_cast<size_t>(n));
    first += static_cast<uint64_t>(n);
  }
  return hash.text();
}

// Under its name only when it is whole.
Status copy_into_trace(int directory, uint32_t number, int from, uint64_t first, uint64_t end) {
  std::string name = kept_name(number), temporary = name + ".new";
  ::unlinkat(directory, temporary.c_str(), 0);
  UniqueFd to(::openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!to.valid()) return system_error("cannot create " + temporary, errno);
  Status copied = copy_part(from, to.get(), first, end);
  if (copied && ::renameat(directory, temporary.c_str(), directory, name.c_str()) != 0)
    copied = system_error("cannot rename " + temporary, errno);
  if (!copied) ::unlinkat(directory, temporary.c_str(), 0);
  return copied;
}

}  // namespace

void KeptFiles::serve(pid_t program) {
  auto used = std::min(__atomic_load_n(&session_.header().kept_used, __ATOMIC_ACQUIRE), kMaxKept);
  if (held_.size() < used) held_.resize(used);
  for (uint32_t i = 0; i < used; i++) {
    uint32_t state = __atomic_load_n(&session_.header().kept[i].state, __ATOMIC_SEQ_CST);
    if (state == static_cast<uint32_t>(KeptState::kAsked)) answer(i, program);
  }
  if (used == 0 || Clock::now() - looked_ < kLookInterval) return;
  looked_ = Clock::now();
  give_back_wanted();
}

void KeptFiles::answer(uint32_t number, pid_t program) {
  KeptFile& file = session_.header().kept[number];
  std::string link = fmt::format("/proc/{}/fd/{}", program, file.descriptor);
  UniqueFd fd(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  // Its breaking is looked for; the signal that tells of it must not be one that ends us.
  bool leased = fd.valid() && ::fcntl(fd.get(), F_SETSIG, SIGURG) == 0 &&
                ::fcntl(fd.get(), F_SETLEASE, F_RDLCK) == 0 && ::fstat(fd.get(), &info) == 0 &&
                S_ISREG(info.st_mode) && info.st_dev == file.device && info.st_ino == file.inode;
  if (leased) {
    held_[number] = std::move(fd);
    file.bytes = static_cast<uint64_t>(info.st_size);
  }
  set_state(file, leased ? KeptState::kGranted : KeptState::kRefused);
}

void KeptFiles::give_back_wanted() {
  for (uint32_t i = 0; i < held_.size(); i++) {
    if (!held_[i].valid() || ::fcntl(held_[i].get(), F_GETLEASE) == F_RDLCK) continue;
    set_state(session_.header().kept[i], KeptState::kRefused);  // before the look at what is referred to
    copy(i);
  }
}

void KeptFiles::copy(uint32_t number) {
  UniqueFd from = std::move(held_[number]);
  const KeptFile& file = session_.header().kept[number];
  uint64_t first = __atomic_load_n(&file.first, __ATOMIC_SEQ_CST), end = __atomic_load_n(&file.end, __ATOMIC_SEQ_CST);
  if (!from.valid() || first >= end) return;
  Status copied = copy_into_trace(directory_, number, from.get(), first, end);
  auto hash = copied ? hash_of(from.get(), first, end) : Result<std::string>(copied.error());
  if (hash) {
    copies_.push_back({number, first, end, *hash});
    return;
  }
  std::error_code ignored;
  auto path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", from.get()), ignored);
  problems_.push_back(fmt::format("{} could not be copied into the trace ({}); replay needs the file itself, as it is "
                                  "now", path.string(), hash.error().text));
}

void KeptFiles::finish() {
  for (uint32_t i = 0; i < held_.size(); i++) copy(i);
}

uint64_t KeptFiles::bytes() {
  uint64_t sum = 0;
  for (const KeptCopy& copy : copies_) sum += copy.end - copy.first;
  for (uint32_t i = 0; i < held_.size(); i++) {
    const KeptFile& file = session_.header().kept[i];
    uint64_t first = __atomic_load_n(&file.first, __ATOMIC_RELAXED), end = __atomic_load_n(&file.end, __ATOMIC_RELAXED);
    if (held_[i].valid() && first < end) sum += end - first;
  }
  return sum;
}

Result<KeptInput> KeptInput::from(const Value& value) {
  KeptRecord record;
  if (value.result < 0 || value.result >= kMaxKept || value.bytes.size() <= sizeof record ||
      value.bytes.back() != 0 || value.bytes.size() > sizeof record + kMaxPath)
    return Error{fmt::format("a kept file at event {} is damaged", value.count)};
  memcpy(&record, value.bytes.data(), sizeof record);
  const char* path = reinterpret_cast<const char*>(value.bytes.data() + sizeof record);
  return KeptInput{static_cast<uint32_t>(value.result), path, record.bytes, record.modified_seconds,
                   record.modified_nanoseconds};
}

std::string kept_name(uint32_t number) { return kPrefix + std::to_string(number); }

std::vector<std::string> kept_names(const std::string& trace) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < kMaxKept; i++) {
    for (const std::string& name : {kept_name(i), kept_name(i) + ".new"}) {
      struct stat info;
      if (::lstat((trace + "/" + name).c_str(), &info) == 0) names.push_back(name);
    }
  }
  return names;
}

Result<UniqueFd> open_kept(int directory, const KeptInput& input, const Manifest& manifest) {
  std::string name = kept_name(input.number);
  if (auto copy = open_file(directory, name.c_str())) {
    for (const KeptCopy& made : manifest.kept) {
      if (made.number != input.number) continue;
      auto hash = hash_of(copy->get(), made.first, made.end);
      if (!hash) return Error{name + ": " + hash.error().text};
      if (*hash != made.hash) return Error{name + " is damaged: it is not what the program had read of " + input.path};
    }
    return copy;
  }
  UniqueFd file(::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.valid() && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) &&
      static_cast<uint64_t>(info.st_size) == input.bytes && info.st_mtim.tv_sec == input.modified_seconds &&
      info.st_mtim.tv_nsec == input.modified_nanoseconds)
    return file;
  return Error{fmt::format("the program had read {}, of which the trace has no copy; the file is gone or has changed: "
                           "put the old one back, or record again", input.path)};
}

Status bring_kept(int directory, const KeptInput& input, const Manifest& manifest) {
  auto file = open_kept(directory, input, manifest);
  if (!file) return file.error();
  if (open_file(directory, kept_name(input.number).c_str())) return {};
  return copy_into_trace(directory, input.number, file->get(), 0, input.bytes);
}

}  // namespace ana
