#include "trace/mpi_program.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "trace/elf_file.h"

namespace ana {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxLibraries = 500;

std::optional<uint32_t> number_in(const char* name) {
  const char* text = ::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::string_view digits = text;
  uint32_t value = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string mpi_of_name(const std::string& library) {
  if (library.starts_with("libmpi.so.40") || library.starts_with("libmpi_mpifh.so.40")) return "openmpi";
  if (library.starts_with("libmpich.so") || library.starts_with("libmpichfort.so")) return "mpich";
  // MPICH calls itself so where it is the only MPI.
  if (library.starts_with("libmpi.so.12")) return "mpich";
  return "";
}

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

}  // namespace

std::optional<LauncherEnvironment> launcher_environment() {
  if (auto rank = number_in("OMPI_COMM_WORLD_RANK")) return LauncherEnvironment{"openmpi", rank};
  // srun sets PMI_RANK or PMIX_RANK as well, for whichever MPI.
  bool slurm = ::getenv("SLURM_PROCID") != nullptr;
  if (auto rank = number_in("PMI_RANK")) return LauncherEnvironment{slurm ? "" : "mpich", rank};
  if (auto rank = number_in("PMIX_RANK")) return LauncherEnvironment{"", rank};
  return std::nullopt;
}

std::string mpi_of_program(const std::string& path) {
  std::vector<std::string> queue = {path};
  std::set<std::string> seen;
  for (size_t i = 0; i < queue.size() && i < kMaxLibraries; i++) {
    auto elf = ElfFile::open(queue[i]);
    if (!elf) continue;
    std::vector<std::string> directories = split(elf->library_path(), fs::path(queue[i]).parent_path().string());
    for (const std::string& name : elf->needed()) {
      if (std::string mpi = mpi_of_name(name); !mpi.empty()) return mpi;
      if (!seen.insert(name).second) continue;
      if (std::string library = find_library(name, directories); !library.empty()) queue.push_back(library);
    }
  }
  return "";
}

namespace {

Result<std::string> find_part(const std::string& mpi, const std::string& name) {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  fs::path part = (self.parent_path() / ".." / "lib" / "anaphora" / name).lexically_normal();
  if (error || ::access(part.c_str(), R_OK) != 0) {
    return Error{fmt::format("{} is missing: Anaphora was built where {} was not installed; install it and build again",
                             part.string(), mpi == "mpich" ? "MPICH" : "Open MPI")};
  }
  return part.string();
}

}  // namespace

Result<std::string> find_mpi_library(const std::string& mpi) {
  return find_part(mpi, fmt::format("anaphora-mpi-{}.so", mpi));
}

Result<std::string> find_mpi_inside(const std::string& mpi) {
  return find_part(mpi, fmt::format("anaphora-inside-{}.so", mpi));
}

Result<std::string> find_mpi_outside(const std::string& mpi) {
  return find_part(mpi, fmt::format("anaphora-outside-{}", mpi));
}

}  // namespace ana
