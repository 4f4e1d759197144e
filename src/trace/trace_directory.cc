#include "trace/trace_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <filesystem>

namespace ana {

Error system_error(const std::string& what, int error_number) {
  return Error{fmt::format("{}: {}", what, strerror(error_number))};
}

Result<UniqueFd> create_trace_directory(const std::string& path) {
  std::filesystem::path whole(path), parent = whole.parent_path();
  std::string where = parent.empty() ? "." : parent.string();
  UniqueFd above(::open(where.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info;
  if (!above.valid() || ::fstat(above.get(), &info) != 0)
    return system_error("cannot open the directory " + where, errno);
  if ((info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) == 0) {
    return Error{fmt::format("anybody may replace what is in {}, so no trace is saved there; choose another place, or "
                             "`chmod o-w {}` (or +t)", where, where)};
  }
  std::string name = whole.filename().string();
  if (::mkdirat(above.get(), name.c_str(), 0700) != 0) return system_error("cannot make the directory " + path, errno);
  UniqueFd fd(::openat(above.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return system_error("cannot open the directory " + path, errno);
  return fd;
}

void remove_trace_directory(const std::string& path, int directory) {
  for (const std::string& name : {std::string(kStreamsName), std::string(kManifestName) + ".new"})
    ::unlinkat(directory, name.c_str(), 0);
  ::rmdir(path.c_str());
}

Result<UniqueFd> open_trace_directory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return system_error("cannot open the directory " + path, errno);
  return fd;
}

Result<UniqueFd> create_file(int directory, const char* name) {
  UniqueFd fd(::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return system_error(fmt::format("cannot create {}", name), errno);
  return fd;
}

Result<UniqueFd> open_file(int directory, const char* name) {
  // O_NONBLOCK: opening a FIFO that somebody put there must not hang.
  UniqueFd fd(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return system_error(fmt::format("cannot open {}", name), errno);
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return system_error(fmt::format("cannot stat {}", name), errno);
  if (!S_ISREG(info.st_mode)) return Error{fmt::format("{} is not a regular file", name)};
  return fd;
}

Status write_all(int fd, const void* bytes, size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    ssize_t n = ::write(fd, at, size);
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error("cannot write", errno);
    }
    at += n;
    size -= static_cast<size_t>(n);
  }
  return {};
}

Status replace_file(int directory, const char* name, std::string_view contents) {
  std::string temporary = fmt::format("{}.new", name);
  ::unlinkat(directory, temporary.c_str(), 0);
  auto fd = create_file(directory, temporary.c_str());
  if (!fd) return fd.error();
  if (Status written = write_all(fd->get(), contents.data(), contents.size()); !written) return written;
  if (::renameat(directory, temporary.c_str(), directory, name) != 0) {
    return system_error(fmt::format("cannot replace {}", name), errno);
  }
  return {};
}

Result<std::string> read_small_file(int directory, const char* name, uint64_t limit) {
  auto fd = open_file(directory, name);
  if (!fd) return fd.error();
  std::string contents;
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(fd->get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(fmt::format("cannot read {}", name), errno);
    if (n == 0) return contents;
    if (contents.size() + static_cast<size_t>(n) > limit) {
      return Error{fmt::format("{} is larger than {} bytes, so it is not ours", name, limit)};
    }
    contents.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace ana
