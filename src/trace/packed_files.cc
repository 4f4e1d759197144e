#include "trace/packed_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/file_hash.h"
#include "trace/manifest.h"
#include "trace/trace_directory.h"

namespace ana {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kFormatName = "anaphora-files";
constexpr uint32_t kFilesVersion = 1;
constexpr int kMaxDepth = 4;
constexpr size_t kMaxFiles = 10000;
constexpr uint64_t kMaxTableBytes = 16 << 20;
constexpr size_t kBufferBytes = 1 << 20;

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

bool is_usable(const std::string& path) {
  std::string name = name_of(path);
  return path.starts_with('/') && path.find('\0') == std::string::npos && !name.empty() && name != "." && name != "..";
}

// A directory in another one, never through a link.
Result<UniqueFd> enter(int directory, const std::string& name) {
  UniqueFd fd(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return system_error("cannot open the directory " + name, errno);
  return fd;
}

Result<UniqueFd> make(int directory, const std::string& name) {
  if (::mkdirat(directory, name.c_str(), 0700) != 0) return system_error("cannot make the directory " + name, errno);
  return enter(directory, name);
}

// Reads all of a file, hands it to `take` piece by piece, and returns its size and hash.
Result<PackedFile> read_through(int fd, const std::function<Status(const void*, size_t)>& take) {
  FileHash hash;
  std::vector<char> buffer(kBufferBytes);
  PackedFile file;
  for (;;) {
    ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("cannot read", errno);
    if (n == 0) break;
    hash.update(buffer.data(), static_cast<size_t>(n));
    file.bytes += static_cast<uint64_t>(n);
    if (Status s = take(buffer.data(), static_cast<size_t>(n)); !s) return s.error();
  }
  file.hash = hash.text();
  return file;
}

Result<PackedFile> copy_file(const std::string& path, int files, size_t i, bool executable) {
  UniqueFd from(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!from.valid()) return system_error("cannot open " + path, errno);
  auto directory = make(files, std::to_string(i));
  if (!directory) return directory.error();
  auto to = create_file(directory->get(), name_of(path).c_str());
  if (!to) return to.error();
  auto file = read_through(from.get(), [&](const void* bytes, size_t n) { return write_all(to->get(), bytes, n); });
  if (!file) return Error{path + ": " + file.error().text};
  if (executable && ::fchmod(to->get(), 0700) != 0)
    return system_error("cannot make the copy of " + path + " a program", errno);
  file->path = path;
  return file;
}

std::string format_table(const std::vector<PackedFile>& files) {
  json out = {{"format", {{"name", kFormatName}, {"version", kFilesVersion}}}, {"files", json::array()}};
  for (const PackedFile& file : files)
    out["files"].push_back({{"path", file.path}, {"bytes", file.bytes}, {"hash", file.hash}});
  out["checksum"] = checksum_of(out);
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<std::vector<PackedFile>> parse_table(const std::string& text) try {
  bool too_deep = false;
  json in = json::parse(text, [&](int depth, json::parse_event_t, json&) {
    too_deep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  });
  if (too_deep) return Error{"files.json is damaged: it is nested too deeply"};
  const json& format = in.at("format");
  if (format.at("name") != kFormatName || format.at("version") != kFilesVersion)
    return Error{"files.json is not a table that this version of Anaphora can read"};
  std::string stored = in.at("checksum").get<std::string>();
  in.erase("checksum");
  if (stored != checksum_of(in)) return Error{"files.json is damaged: its checksum is wrong"};
  if (in.at("files").size() > kMaxFiles) return Error{"files.json has more files than a program can have"};
  std::vector<PackedFile> files;
  for (const json& entry : in.at("files")) {
    PackedFile file{entry.at("path").get<std::string>(), entry.at("bytes").get<uint64_t>(),
                    entry.at("hash").get<std::string>()};
    if (!is_usable(file.path)) return Error{"files.json names a file that cannot be: " + file.path};
    files.push_back(std::move(file));
  }
  return files;
} catch (const json::exception& e) {
  return Error{fmt::format("files.json is damaged: {}", e.what())};
}

}  // namespace

Result<PackedFiles> PackedFiles::open(const std::string& trace) {
  PackedFiles packed;
  struct stat info;
  if (::lstat((trace + "/" + kFileTableName).c_str(), &info) != 0 && errno == ENOENT) return packed;
  auto directory = open_trace_directory(trace);
  if (!directory) return directory.error();
  auto text = read_small_file(directory->get(), kFileTableName, kMaxTableBytes);
  if (!text) return text.error();
  auto files = parse_table(*text);
  if (!files) return files.error();
  std::error_code error;
  packed.trace_ = fs::canonical(trace, error).string();
  if (error) return Error{trace + ": " + error.message()};
  packed.files_ = std::move(*files);
  return packed;
}

std::string PackedFiles::place(size_t i) const {
  return fmt::format("{}/{}/{}/{}", trace_, kFilesName, i, name_of(files_[i].path));
}

uint64_t PackedFiles::bytes() const {
  uint64_t sum = 0;
  for (const PackedFile& file : files_) sum += file.bytes;
  return sum;
}

std::string PackedFiles::find(const std::string& path) const {
  for (size_t i = 0; i < files_.size(); i++) {
    if (files_[i].path == path) return place(i);
  }
  return path;
}

Status PackedFiles::check() const {
  if (files_.empty()) return {};
  auto directory = open_trace_directory(trace_);
  if (!directory) return directory.error();
  auto all = enter(directory->get(), kFilesName);
  if (!all) return all.error();
  for (size_t i = 0; i < files_.size(); i++) {
    auto own = enter(all->get(), std::to_string(i));
    if (!own) return own.error();
    auto file = open_file(own->get(), name_of(files_[i].path).c_str());
    if (!file) return Error{place(i) + ": " + file.error().text};
    auto found = read_through(file->get(), [](const void*, size_t) { return Status(); });
    if (!found) return Error{place(i) + ": " + found.error().text};
    if (found->bytes != files_[i].bytes || found->hash != files_[i].hash)
      return Error{place(i) + " is damaged: it is not what was packed"};
  }
  return {};
}

Status pack_files(const std::string& trace, const std::vector<std::string>& paths, bool executable) {
  if (Status s = remove_packed_files(trace); !s) return s;
  auto directory = open_trace_directory(trace);
  if (!directory) return directory.error();
  auto files = make(directory->get(), kFilesName);
  if (!files) return files.error();
  std::vector<PackedFile> table;
  for (const std::string& path : paths) {
    if (!is_usable(path)) return Error{path + " cannot be packed"};
    auto file = copy_file(path, files->get(), table.size(), executable);
    if (!file) return file.error();
    table.push_back(std::move(*file));
  }
  return replace_file(directory->get(), kFileTableName, format_table(table));
}

Status remove_packed_files(const std::string& trace) {
  std::error_code error;
  // The table first: without it the copies count for nothing.
  fs::remove(trace + "/" + kFileTableName, error);
  if (!error) fs::remove(trace + "/" + kFileTableName + ".new", error);
  if (!error) fs::remove_all(trace + "/" + kFilesName, error);
  if (error) return Error{fmt::format("cannot remove the packed files of {}: {}", trace, error.message())};
  return {};
}

}  // namespace ana
