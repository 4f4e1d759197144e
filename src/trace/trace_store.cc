#include "trace/trace_store.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "trace/child_traces.h"
#include "trace/kept_files.h"
#include "trace/packed_files.h"
#include "trace/printed_file.h"
#include "trace/trace_directory.h"

namespace ana {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxListed = 20;

std::string environment(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_directory(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// "rank-12", and what a recorder leaves that was killed: "rank-12.new", "contents-12.live".
std::vector<std::string> numbered(const std::string& trace, const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(trace, error)) {
    std::string name = entry.path().filename().string(), number = name;
    if (!name.starts_with(prefix)) continue;
    number.erase(0, prefix.size());
    for (std::string_view suffix : {".new", ".live"}) {
      if (number.ends_with(suffix)) number.resize(number.size() - suffix.size());
    }
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos) names.push_back(name);
  }
  return names;
}
std::vector<std::string> rank_files(const std::string& trace) {
  std::vector<std::string> names = numbered(trace, "rank-"), contents = numbered(trace, "contents-");
  names.insert(names.end(), contents.begin(), contents.end());
  return names;
}

std::string list_of_traces(const TraceStore& store) {
  std::vector<std::string> all = store.traces();
  if (all.empty())
    return fmt::format("there are no traces in {} yet; make one with `anaphora record PROGRAM`", store.root());
  std::string text = fmt::format("the traces in {} are:", store.root());
  size_t first = all.size() > kMaxListed ? all.size() - kMaxListed : 0;
  if (first > 0) text += fmt::format("\n  ({} older ones)", first);
  for (size_t i = first; i < all.size(); i++) text += "\n  " + fs::path(all[i]).filename().string();
  return text;
}

}  // namespace

Result<TraceStore> TraceStore::standard() {
  if (std::string root = environment("ANAPHORA_TRACE_DIR"); !root.empty()) return TraceStore(root);
  if (std::string data = environment("XDG_DATA_HOME"); !data.empty()) return TraceStore(data + "/anaphora");
  if (std::string home = environment("HOME"); !home.empty()) return TraceStore(home + "/.local/share/anaphora");
  return Error{"there is no place for traces: set ANAPHORA_TRACE_DIR or HOME"};
}

Status TraceStore::make_root() const {
  // Parents as usual, the root itself for the user alone.
  std::error_code error;
  fs::path parent = fs::path(root_).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (::mkdir(root_.c_str(), 0700) == 0 || (errno == EEXIST && is_directory(root_))) return {};
  return system_error("cannot make the directory " + root_, errno);
}

std::string TraceStore::next_name(const std::string& program) const {
  std::string prefix = fs::path(program).filename().string() + "-";
  uint64_t next = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    uint64_t number = 0;
    auto [end, problem] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (problem == std::errc() && end == name.data() + name.size()) next = std::max(next, number + 1);
  }
  return fmt::format("{}/{}{}", root_, prefix, next);
}

std::vector<std::string> TraceStore::traces() const {
  std::vector<std::pair<timespec, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    struct stat info;
    std::string path = entry.path().string();
    if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || !is_trace(path)) continue;
    // The time of the file that is made first and then only grows is nearest to that of the recording; one of MPI has
    // only a manifest beside its ranks.
    if (::stat((path + "/" + kStreamsName).c_str(), &info) == 0 ||
        ::stat((path + "/" + kManifestName).c_str(), &info) == 0)
      found.emplace_back(info.st_mtim, path);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    if (a.first.tv_sec != b.first.tv_sec) return a.first.tv_sec < b.first.tv_sec;
    if (a.first.tv_nsec != b.first.tv_nsec) return a.first.tv_nsec < b.first.tv_nsec;
    return a.second < b.second;
  });
  std::vector<std::string> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::optional<std::string> TraceStore::latest() const {
  std::error_code error;
  fs::path target = fs::read_symlink(fs::path(root_) / kLatestLink, error);
  if (error) return std::nullopt;
  std::string path = (target.is_absolute() ? target : fs::path(root_) / target).string();
  if (!is_trace(path)) return std::nullopt;
  return path;
}

Status TraceStore::set_latest(const std::string& trace) const {
  std::string link = root_ + "/" + kLatestLink;
  std::string temporary = fmt::format("{}.{}", link, ::getpid());
  ::unlink(temporary.c_str());
  std::string target = fs::path(trace).filename().string();
  if (::symlink(target.c_str(), temporary.c_str()) != 0 || ::rename(temporary.c_str(), link.c_str()) != 0) {
    int error = errno;
    ::unlink(temporary.c_str());
    return system_error("cannot make the link " + link, error);
  }
  return {};
}

void TraceStore::repair_latest() const {
  if (latest()) return;
  std::vector<std::string> all = traces();
  if (all.empty() || !set_latest(all.back())) ::unlink((root_ + "/" + kLatestLink).c_str());
}

Result<Destination> choose_destination(const std::string& what, const std::string& program) {
  // "traces/" and "a/../traces" are the same place as "traces".
  std::string where = fs::path(what).lexically_normal().string();
  while (where.size() > 1 && where.back() == '/') where.pop_back();
  if (!where.empty() && is_directory(where) && !is_trace(where)) {
    TraceStore store(where);
    return Destination{store.next_name(program), store};
  }
  if (what.find('/') != std::string::npos) {
    std::error_code error;
    fs::path parent = fs::path(where).parent_path();
    if (!parent.empty()) fs::create_directories(parent, error);
    return Destination{where, std::nullopt};
  }
  auto store = TraceStore::standard();
  if (!store) return store.error();
  if (Status s = store->make_root(); !s) return s.error();
  std::string trace = where.empty() ? store->next_name(program) : store->root() + "/" + where;
  return Destination{trace, *store};
}

Result<std::string> find_trace(const std::string& what) {
  auto store = TraceStore::standard();
  if (what.empty()) {
    if (!store) return store.error();
    if (auto latest = store->latest()) return *latest;
    std::vector<std::string> all = store->traces();
    if (!all.empty()) return all.back();
    return Error{list_of_traces(*store)};
  }
  if (what.find('/') == std::string::npos && store.ok()) {
    std::string path = store->root() + "/" + what;
    if (is_trace(path)) return path;
  }
  if (is_trace(what)) return what;
  if (is_directory(what)) {
    if (auto latest = TraceStore(what).latest()) return *latest;
  }
  // One inside another: `run1/threads-0` after `record -o run1`.
  if (what.front() != '/' && store.ok() && is_trace(store->root() + "/" + what)) return store->root() + "/" + what;
  std::string error = fmt::format("there is no trace {}", what);
  return Error{store ? error + "; " + list_of_traces(*store) : error};
}

bool is_trace(const std::string& path) {
  struct stat info;
  return ::lstat((path + "/" + kManifestName).c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string threads_path(const std::string& trace, uint32_t rank) { return fmt::format("{}/threads-{}", trace, rank); }

std::vector<std::string> threads_of_ranks(const std::string& trace) {
  std::vector<std::string> paths;
  for (const std::string& name : numbered(trace, "threads-")) {
    if (is_trace(trace + "/" + name)) paths.push_back(trace + "/" + name);
  }
  // By number.
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return paths;
}

uint64_t bytes_on_disk(const std::string& trace) {
  uint64_t sum = 0;
  for (const std::string& threads : threads_of_ranks(trace)) sum += bytes_on_disk(threads);
  if (auto packed = PackedFiles::open(trace)) sum += packed->bytes();
  std::vector<std::string> names = rank_files(trace);
  for (std::string& name : kept_names(trace)) names.push_back(std::move(name));
  names.insert(names.end(), {kManifestName, kStreamsName, kFileTableName});
  for (const std::string& name : names) {
    struct stat info;
    if (::lstat((trace + "/" + name).c_str(), &info) == 0)  // kept files have holes
      sum += std::min(static_cast<uint64_t>(info.st_size), static_cast<uint64_t>(info.st_blocks) * 512);
  }
  return sum;
}

Status remove_trace(const std::string& trace) {
  if (!is_trace(trace)) return Error{trace + " is not a trace"};
  UniqueFd fd(::open(trace.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return system_error("cannot open " + trace, errno);
  for (const std::string& threads : threads_of_ranks(trace)) {
    if (Status s = remove_trace(threads); !s) return s;
  }
  if (Status s = remove_children(trace); !s) return s;
  if (Status s = remove_packed_files(trace); !s) return s;
  // The manifest last: what is left when this is interrupted is still a trace, and can be removed again.
  std::vector<std::string> names = rank_files(trace);
  for (std::string& name : kept_names(trace)) names.push_back(std::move(name));
  names.insert(names.end(), {kStreamsName, kPrintedName, std::string(kManifestName) + ".new", kManifestName});
  constexpr int kTries = 50;  // the recorder of a child may write its manifest in this moment
  constexpr useconds_t kPause = 20'000;
  for (int n = 1;; n++) {
    for (const std::string& name : names) {
      if (::unlinkat(fd.get(), name.c_str(), 0) != 0 && errno != ENOENT)
        return system_error(fmt::format("cannot remove {}/{}", trace, name), errno);
    }
    if (::rmdir(trace.c_str()) == 0) return {};
    if (errno != ENOTEMPTY || n == kTries) return system_error("cannot remove " + trace, errno);
    ::usleep(kPause);
  }
}

}  // namespace ana
