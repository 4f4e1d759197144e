#include "trace/needed_libraries.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "trace/elf_file.h"

namespace ana {

namespace {

constexpr size_t kMaxLibraries = 500;

std::vector<std::string> split(const std::string& text, const std::string& origin) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(':', at), text.size());
    std::string part = text.substr(at, end - at);
    for (const char* word : {"$ORIGIN", "${ORIGIN}"}) {
      if (size_t i = part.find(word); i != std::string::npos) part.replace(i, std::string_view(word).size(), origin);
    }
    if (!part.empty()) parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

// As the dynamic loader looks, without its cache: that has nothing but the usual directories and those of ld.so.conf.
std::string find_library(const std::string& name, const std::vector<std::string>& first) {
  std::vector<std::string> directories = first;
  if (const char* more = ::getenv("LD_LIBRARY_PATH"))
    for (std::string& d : split(more, "")) directories.push_back(d);
  for (const char* d : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                        "/usr/lib", "/usr/local/lib"})
    directories.emplace_back(d);
  for (const std::string& directory : directories) {
    std::string path = directory + "/" + name;
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

// What the C library and the compiler bring; their accesses to the program's memory are known to the runtime.
bool is_known(const std::string& name) {
  static constexpr std::string_view kKnown[] = {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so",
                                                "libresolv.so", "libutil.so", "libanl.so", "libmvec.so", "libnss_",
                                                "ld-linux", "libstdc++.so", "libgcc_s.so", "libatomic.so"};
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](std::string_view known) { return name.starts_with(known); });
}

}  // namespace

std::vector<NeededLibrary> needed_libraries(const std::string& path) {
  std::vector<std::string> queue = {path};
  std::vector<NeededLibrary> libraries;
  std::set<std::string> seen;
  for (size_t i = 0; i < queue.size() && i < kMaxLibraries; i++) {
    auto elf = ElfFile::open(queue[i]);
    if (!elf) continue;
    std::vector<std::string> directories =
        split(elf->library_path(), std::filesystem::path(queue[i]).parent_path().string());
    for (const std::string& name : elf->needed()) {
      if (!seen.insert(name).second) continue;
      std::string library = find_library(name, directories);
      libraries.push_back({name, library});
      if (!library.empty()) queue.push_back(library);
    }
  }
  return libraries;
}

std::vector<std::string> unseen_libraries(const std::string& path) {
  std::vector<std::string> names;
  for (const NeededLibrary& library : needed_libraries(path)) {
    if (is_known(library.name) || library.path.empty()) continue;
    auto elf = ElfFile::open(library.path);
    if (elf && !elf->section("ana_sites")) names.push_back(library.name);
  }
  return names;
}

}  // namespace ana
