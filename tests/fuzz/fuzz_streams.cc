// The streams of a trace whose frames are intact: the first byte says of how many slots, and whether there is an end.
#include <filesystem>

#include "scratch.h"
#include "trace/load_schedule.h"
#include "trace/trace_reader.h"

using namespace ana;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  TraceContents contents;
  size_t slots = 1 + data[0] % 4, each = (size - 1) / slots;
  contents.has_end = (data[0] & 16) != 0;
  contents.algorithm = (data[0] & 32) != 0 ? "rwtrace-1" : "ownership";
  for (size_t i = 0; i < slots; i++) contents.streams.emplace_back(data + 1 + i * each, data + 1 + (i + 1) * each);
  std::string path = scratch() / "trace";
  std::filesystem::remove_all(path);
  write_trace(path, contents);
  auto reader = TraceReader::open(path);
  if (!reader) return 0;
  for (uint32_t i = 0; i < reader->slots(); i++) {
    StreamCursor cursor = reader->stream(i);
    for (;;) {
      auto action = cursor.next();
      if (!action || !*action) break;
    }
  }
  auto schedule = load_schedule(*reader);
  return 0;
}
