// anaphora-cc and anaphora-c++: clang 19 with the pass, and with the runtime where a program is linked. One program
// under two names; the name says whether it stands for clang or clang++.
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/arguments.h"

namespace ana {
namespace {

namespace fs = std::filesystem;

struct Installation {
  fs::path library;  // .../lib/anaphora
  std::string name;  // what this program was called
  bool is_cxx = false;
};

[[noreturn]] void fail(const Installation& installation, const std::string& message) {
  fprintf(stderr, "%s: error: %s\n", installation.name.c_str(), message.c_str());
  exit(1);
}

Installation find_installation(const char* called_as) {
  Installation result;
  result.name = fs::path(called_as).filename();
  result.is_cxx = result.name.find("++") != std::string::npos;
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) self = fs::absolute(called_as);
  // Two installed names may be links to one file; "++" is then only in argv[0].
  result.library = self.parent_path().parent_path() / "lib" / "anaphora";
  return result;
}

bool is_executable(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

std::string find_in_path(const std::string& name) {
  const char* path = getenv("PATH");
  std::string text = path ? path : "/usr/bin:/bin";
  size_t from = 0;
  while (from <= text.size()) {
    size_t colon = std::min(text.find(':', from), text.size());
    fs::path candidate = fs::path(text.substr(from, colon - from)) / name;
    if (is_executable(candidate)) return candidate;
    from = colon + 1;
  }
  return "";
}

// $ANAPHORA_CLANG names clang itself; clang++ is the same program with --driver-mode=g++.
std::string find_clang(const Installation& installation) {
  if (const char* chosen = getenv("ANAPHORA_CLANG"); chosen && *chosen) {
    std::string path = strchr(chosen, '/') ? (is_executable(chosen) ? chosen : "") : find_in_path(chosen);
    if (path.empty()) {
      fail(installation, std::string("ANAPHORA_CLANG is '") + chosen +
                             "', which cannot be run: set it to clang 19, or unset it");
    }
    return path;
  }
  std::string path = find_in_path("clang-19");
  if (path.empty() && is_executable("/usr/lib/llvm-19/bin/clang")) path = "/usr/lib/llvm-19/bin/clang";
  if (path.empty()) {
    fail(installation, "clang 19 was not found: install clang-19, or set ANAPHORA_CLANG to it");
  }
  return path;
}

std::string require_file(const Installation& installation, const char* name) {
  fs::path path = installation.library / name;
  if (!fs::exists(path)) {
    fail(installation, path.string() + " is missing: install Anaphora again, or build all of it");
  }
  return path;
}

void add_compile_options(const Installation& installation, const CommandLine& line, std::vector<std::string>& words) {
  std::string plugin = require_file(installation, "AnaphoraPass.so");
  // The plugin must be loaded before its options are read.
  if (!line.pass_options.empty()) words.insert(words.end(), {"-Xclang", "-load", "-Xclang", plugin});
  // Not by -mllvm alone, which the assembler gets as well, without the plugin.
  for (const std::string& option : line.pass_options)
    words.insert(words.end(), {"-Xclang", "-mllvm", "-Xclang", option});
  words.push_back("-fpass-plugin=" + plugin);
  // What a stack holds below its top is also the runtime's doing, and not the same in record and replay; variables and
  // padding that the program leaves unset must not show it. First, so that the user's own choice wins.
  words.push_back("-ftrivial-auto-var-init=zero");
}

// Also where C++ is only preprocessed: compiler caches compile the result later.
void add_header(const Installation& installation, const CommandLine& line, std::vector<std::string>& words) {
  if (!line.sees_libstdcxx || !line.reads_cxx(installation.is_cxx)) return;
  words.insert(words.end(), {"-Xclang", "-include", "-Xclang", require_file(installation, "include/instantiate.h"),
                             "-isystem", require_file(installation, "include/libstdcxx")});
}

void add_link_options(const Installation& installation, std::vector<std::string>& words) {
  words.insert(words.end(), {"-x", "none",  // whatever the language of the files before it: it is an archive
                             "-Wl,--whole-archive", require_file(installation, "libanaphora_rt.a"),
                             "-Wl,--no-whole-archive",
                             "-Wl,--dynamic-list=" + require_file(installation, "anaphora.syms"), "-Wl,--build-id",
                             "-ldl", "-lpthread"});
}

void warn(const Installation& installation, const std::string& message) {
  fprintf(stderr, "%s: warning: %s\n", installation.name.c_str(), message.c_str());
}

void warn_of_unrecorded(const Installation& installation, const CommandLine& line) {
  if (line.has_lto) warn(installation, "link-time optimisation is left out: it would come after the instrumentation");
  if (line.has_openmp && (line.compiles || line.links || line.shared))
    warn(installation, "how the runtime of OpenMP hands out work is not recorded: replays of the program will differ");
  for (const std::string& file : line.assembly)
    warn(installation, file + " is assembly: its accesses to memory are not recorded, and replays differ if threads race "
                              "there, also by atomic instructions; call it under a lock, or write it in C, where inline "
                              "assembly is recorded");
}

int run(int argc, char** argv) {
  Installation installation = find_installation(argv[0]);
  CommandLine line = understand({argv + 1, argv + argc});
  if (line.wants_version) {
    printf("%s (Anaphora) %s\n", installation.name.c_str(), ANAPHORA_VERSION);
    return 0;
  }
  if (!line.refusal.empty()) fail(installation, line.refusal);
  warn_of_unrecorded(installation, line);
  std::string clang = find_clang(installation);
  std::vector<std::string> words = {clang};
  if (installation.is_cxx) words.push_back("--driver-mode=g++");
  if (line.compiles) add_compile_options(installation, line, words);
  add_header(installation, line, words);
  words.insert(words.end(), line.arguments.begin(), line.arguments.end());
  if (line.links) add_link_options(installation, words);

  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(clang.c_str(), arguments.data());
  fail(installation, clang + " cannot be run: " + strerror(errno));
}

}  // namespace
}  // namespace ana

int main(int argc, char** argv) { return ana::run(argc, argv); }
