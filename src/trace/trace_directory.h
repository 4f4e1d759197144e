// Access to the files of one trace directory. Directories are made 0700 and files 0600, since a trace holds everything
// that the program read; no symbolic link is followed for a file inside it, and only regular files are opened.
#pragma once
#include <string>
#include <string_view>

#include "trace/result.h"
#include "trace/unique_fd.h"

namespace ana {

constexpr const char* kManifestName = "manifest.json";
constexpr const char* kStreamsName = "streams";

// Makes the directory, which must not exist; not where others could put one of theirs in its place.
Result<UniqueFd> create_trace_directory(const std::string& path);
// Takes back what create_trace_directory() made, with the files of a recording that has not begun.
void remove_trace_directory(const std::string& path, int directory);
// `path` itself may be a link (`latest-trace` is).
Result<UniqueFd> open_trace_directory(const std::string& path);

Result<UniqueFd> create_file(int directory, const char* name);
Result<UniqueFd> open_file(int directory, const char* name);

// Replaces the file in one step, so that readers see the old or the new contents and nothing between.
Status replace_file(int directory, const char* name, std::string_view contents);
Result<std::string> read_small_file(int directory, const char* name, uint64_t limit);

Status write_all(int fd, const void* bytes, size_t size);

}  // namespace ana
