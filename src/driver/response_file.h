// Response files of the GNU kind: arguments separated by blanks, with quotes and backslashes, as clang reads them.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ana {

// The arguments in the file, with files that it names expanded too; nothing if it cannot be read (clang then takes
// "@file" as a file's name, and so do we).
std::optional<std::vector<std::string>> read_response_file(const std::string& path, int depth = 0);

}  // namespace ana
