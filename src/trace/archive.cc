#include "trace/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "trace/unique_fd.h"

namespace ana {

namespace fs = std::filesystem;

namespace {

constexpr size_t kBufferBytes = 1 << 20;

class Writer {
 public:
  explicit Writer(int fd) : archive_(::archive_write_new(), ::archive_write_free) {
    ok_ = good(::archive_write_set_format_pax_restricted(archive_.get())) &&
          good(::archive_write_add_filter_zstd(archive_.get())) && good(::archive_write_open_fd(archive_.get(), fd));
  }

  Status add(const fs::path& path, const std::string& name) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat info;
    if (!file.valid() || ::fstat(file.get(), &info) != 0) return system_error("cannot read " + path.string(), errno);
    std::unique_ptr<archive_entry, decltype(&::archive_entry_free)> entry(::archive_entry_new(), ::archive_entry_free);
    ::archive_entry_set_pathname(entry.get(), name.c_str());
    ::archive_entry_set_filetype(entry.get(), info.st_mode & S_IFMT);
    ::archive_entry_set_perm(entry.get(), info.st_mode & 0700);
    ::archive_entry_set_mtime(entry.get(), info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    ::archive_entry_set_size(entry.get(), S_ISREG(info.st_mode) ? info.st_size : 0);
    ok_ = ok_ && good(::archive_write_header(archive_.get(), entry.get()));
    if (ok_ && S_ISREG(info.st_mode)) {
      if (Status s = add_contents(file.get(), path); !s) return s;
    }
    return status();
  }

  Status finish() {
    ok_ = ok_ && good(::archive_write_close(archive_.get()));
    return status();
  }

 private:
  static bool good(int result) { return result == ARCHIVE_OK; }

  Status add_contents(int fd, const fs::path& path) {
    std::vector<char> buffer(kBufferBytes);
    for (;;) {
      ssize_t n = ::read(fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error("cannot read " + path.string(), errno);
      if (n == 0 || !ok_) return {};
      ok_ = ::archive_write_data(archive_.get(), buffer.data(), static_cast<size_t>(n)) == n;
    }
  }

  Status status() const {
    if (ok_) return {};
    const char* why = ::archive_error_string(archive_.get());
    return Error{why == nullptr ? "the archive cannot be written" : why};
  }

  std::unique_ptr<archive, decltype(&::archive_write_free)> archive_;
  bool ok_;
};

Status write_all(const fs::path& directory, int fd) {
  Writer writer(fd);
  std::string top = directory.filename().string();
  if (Status s = writer.add(directory, top); !s) return s;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->is_symlink() || (!at->is_directory() && !at->is_regular_file())) continue;
    std::string name = top + "/" + fs::relative(at->path(), directory).string();
    if (Status s = writer.add(at->path(), name); !s) return s;
  }
  if (error) return Error{directory.string() + ": " + error.message()};
  return writer.finish();
}

}  // namespace

Status write_archive(const std::string& directory, const std::string& file) {
  std::error_code error;
  fs::path real = fs::canonical(directory, error);
  if (error) return Error{directory + ": " + error.message()};
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return system_error("cannot create " + file, errno);
  Status written = write_all(real, fd.get());
  if (written.ok()) return written;
  ::unlink(file.c_str());
  return Error{file + ": " + written.error().text};
}

}  // namespace ana
