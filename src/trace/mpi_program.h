// Which MPI a program uses, and what the launcher of the job has told this process.
#pragma once
#include <optional>
#include <string>

#include "trace/result.h"

namespace ana {

// What the environment says of the job; nothing outside one.
struct LauncherEnvironment {
  std::string mpi;  // "openmpi", "mpich"; empty: a launcher that serves several
  std::optional<uint32_t> rank;
};
std::optional<LauncherEnvironment> launcher_environment();

// An error if the launcher is that of another MPI than the program's: it knows nothing of the job, and each of its processes
// is one of its own.
Status check_launcher(const std::string& mpi);

// "openmpi" or "mpich" if the program or one of the libraries that it is linked with needs that; empty: none.
std::string mpi_of_program(const std::string& path);

// The library to preload for it: <directory of this executable>/../lib/anaphora/anaphora-mpi-<mpi>.so
Result<std::string> find_mpi_library(const std::string& mpi);
// Where threads are recorded, too: what stands for MPI in the program, and the program that runs MPI beside it.
Result<std::string> find_mpi_inside(const std::string& mpi);
Result<std::string> find_mpi_outside(const std::string& mpi);

}  // namespace ana
