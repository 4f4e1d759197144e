// What an MPI rank got: the bytes as the packed file, and as block 1 of the live file beside an intact packed one.
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <filesystem>

#include "scratch.h"
#include "trace/contents_file.h"
#include "trace/trace_directory.h"

using namespace ana;

namespace {

void read() {
  auto directory = open_trace_directory(scratch().path());
  if (!directory) return;
  auto contents = ContentsReader::open(directory->get(), 0);
  if (contents) (void)check_contents(*contents, true);
}

struct Files {
  std::string packed, live;
};

Files make_files() {
  auto directory = open_trace_directory(scratch().path());
  if (!directory || !ContentsWriter::create(directory->get(), 0, 7)) abort();
  Files files{read_file(scratch() / contents_file_name(0)), read_file(scratch() / live_contents_file_name(0))};
  files.live.resize(2 * kContentsBlockBytes);
  reinterpret_cast<LiveContentsHeader*>(files.live.data())->blocks++;
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Files files = make_files();
  std::filesystem::remove(scratch() / live_contents_file_name(0));
  write_file(scratch() / contents_file_name(0), text_of(data, size));
  read();
  std::string live = files.live;
  memcpy(live.data() + kContentsBlockBytes, data, std::min<size_t>(size, kContentsBlockBytes));
  write_file(scratch() / contents_file_name(0), files.packed);
  write_file(scratch() / live_contents_file_name(0), live);
  read();
  return 0;
}
