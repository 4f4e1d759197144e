#include "trace/mpi_program.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "trace/needed_libraries.h"

namespace ana {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

std::optional<LauncherEnvironment> launcher_environment() {
  if (auto rank = number_in("OMPI_COMM_WORLD_RANK")) return LauncherEnvironment{"openmpi", rank};
  // srun sets PMI_RANK or PMIX_RANK as well, for whichever MPI.
  bool slurm = ::getenv("SLURM_PROCID") != nullptr;
  if (auto rank = number_in("PMI_RANK")) return LauncherEnvironment{slurm ? "" : "mpich", rank};
  if (auto rank = number_in("PMIX_RANK")) return LauncherEnvironment{"", rank};
  return std::nullopt;
}

Status check_launcher(const std::string& mpi) {
  bool mpich = mpi == "mpich";
  bool slurm = ::getenv("SLURM_PROCID") != nullptr;
  bool own = number_in(mpich ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK").has_value();
  uint32_t processes = number_in(mpich ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE").value_or(1);
  if (own || slurm || processes < 2) return {};
  const char* names[] = {"Open MPI", "MPICH"};
  return Error{fmt::format("the program uses {}, and the launcher is that of {}: each of the {} processes would be a job of "
                           "its own; start it with the launcher of its MPI (mpirun.{} in Debian)",
                           names[mpich], names[!mpich], processes, mpi)};
}

std::string mpi_of_program(const std::string& path) {
  for (const NeededLibrary& library : needed_libraries(path)) {
    if (std::string mpi = mpi_of_name(library.name); !mpi.empty()) return mpi;
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
