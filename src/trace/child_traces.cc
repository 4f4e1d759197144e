#include "trace/child_traces.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "trace/trace_directory.h"
#include "trace/trace_store.h"

namespace ana {

namespace fs = std::filesystem;

namespace {

std::string children_of(const std::string& trace) { return trace + "/" + kChildrenName; }

// Numbers by their value.
bool comes_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::string children_directory(const std::string& trace) {
  std::error_code error;
  return fs::absolute(children_of(trace), error).lexically_normal().string();
}

std::string inherited_children(const std::string& trace) {
  std::error_code error;
  const char* directory = ::getenv(kChildrenVariable);
  if (directory == nullptr) return "";
  fs::path own = fs::absolute(trace, error).lexically_normal().parent_path();
  return !error && own == fs::path(directory).lexically_normal() ? own.string() : "";
}

Status prepare_children(const std::string& trace) {
  std::error_code error;
  std::string directory = children_directory(trace);
  fs::path tool = error ? fs::path() : fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{"cannot find out where this program is: " + error.message()};
  if (::mkdir(directory.c_str(), 0700) != 0) return system_error("cannot make the directory " + directory, errno);
  ::setenv(kChildrenVariable, directory.c_str(), 1);
  ::setenv(kToolVariable, tool.c_str(), 1);
  return {};
}

std::vector<std::string> child_names(const std::string& trace) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(children_of(trace), error))
    if (is_trace(entry.path().string())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

std::string child_trace(const std::string& trace, const std::string& name) { return children_of(trace) + "/" + name; }

Status remove_children(const std::string& trace) {
  for (const std::string& name : child_names(trace)) {
    if (Status s = remove_trace(child_trace(trace, name)); !s) return s;
  }
  if (::rmdir(children_of(trace).c_str()) != 0 && errno != ENOENT)
    return system_error("cannot remove " + children_of(trace), errno);
  return {};
}

}  // namespace ana
