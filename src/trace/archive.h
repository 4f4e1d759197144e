// A directory as one file: a tar archive, compressed with zstd, that tar(1) unpacks. Used by `anaphora pack`.
#pragma once
#include <string>

#include "trace/result.h"

namespace ana {

// The directories and regular files in `directory`, under its own name. `file` must not exist; it is for the user
// alone, and taken away again if something fails.
Status write_archive(const std::string& directory, const std::string& file);

}  // namespace ana
