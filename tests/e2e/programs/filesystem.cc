// std::filesystem: directories, iteration, copies, renames and errors by several threads in one place.
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "support.h"

namespace fs = std::filesystem;
static fs::path place;

static uint64_t body(int index) {
  uint64_t hash = 0;
  fs::path own = place / ("thread-" + std::to_string(index));
  fs::create_directories(own / "deep" / "er");
  for (int i = 0, n = share_of(30); i < n; i++) {
    fs::path file = own / ("file-" + std::to_string(i));
    std::ofstream(file) << std::string(static_cast<size_t>(i + 1), 'x');
    std::error_code error;
    fs::copy_file(file, own / "deep" / file.filename(), fs::copy_options::overwrite_existing, error);
    hash = mix(hash, static_cast<uint64_t>(error.value()) + fs::file_size(file));
    if (i % 3 == 0) fs::rename(file, own / "renamed", error);
    for (fs::recursive_directory_iterator at(place, error), end; !error && at != end; at.increment(error))
      hash = mix(hash, at->path().filename().string().size() + (at->is_directory(error) ? 1000u : 0u));
    hash = mix(hash, static_cast<uint64_t>(fs::exists("/no/such/place")));
  }
  hash = mix(hash, fs::remove_all(own / "deep"));
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  place = fs::current_path() / ("fs-" + std::to_string(getpid()));
  fs::create_directory(place);
  run_threads(body);
  print_results();
  std::printf("removed %ju, space known %d\n", static_cast<uintmax_t>(fs::remove_all(place)),
              fs::space(".").capacity != 0);
}
