// The libraries that a program is linked with, directly or through others.
#pragma once
#include <string>
#include <vector>

namespace ana {

struct NeededLibrary {
  std::string name;
  std::string path;  // empty: not found
};
std::vector<NeededLibrary> needed_libraries(const std::string& path);

// The names of those whose accesses to memory nobody sees: neither built with anaphora-cc nor known to the runtime.
std::vector<std::string> unseen_libraries(const std::string& path);

}  // namespace ana
