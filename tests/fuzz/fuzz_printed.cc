// What other processes printed: the bytes as the file, and as the raw bytes of its chunks.
#include <stdlib.h>

#include <filesystem>

#include "scratch.h"
#include "trace/printed_file.h"
#include "trace/trace_directory.h"

using namespace ana;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const UniqueFd directory = [] {
    auto opened = open_trace_directory(scratch().path());
    if (!opened) abort();
    return std::move(*opened);
  }();
  std::string text = text_of(data, size);
  write_file(scratch() / kPrintedName, text);
  (void)read_printed(directory.get());

  std::filesystem::remove(scratch() / kPrintedName);
  PrintedWriter writer(directory.get());
  bool written = writer.append(size % kChannels, text.data(), size).ok() && writer.finish().ok();
  auto printed = read_printed(directory.get());
  if (!written || !printed || printed->bytes[size % kChannels] != size) abort();
  return 0;
}
