// A manifest, of threads or of an MPI job, and after a line of dashes the file of streams, as they are. If the manifest is
// JSON, it gets the right checksum, so that what is behind the check is reached as well.
#include <filesystem>

#include "scratch.h"
#include "trace/mpi_manifest.h"
#include "trace/trace_directory.h"
#include "trace/trace_reader.h"

using namespace ana;

namespace {

std::string with_checksum(const std::string& text) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return text;
  json.erase("checksum");
  json["checksum"] = checksum_of(json);
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = text_of(data, size), streams;
  if (size_t at = text.find("\n---\n"); at != std::string::npos) {
    streams = text.substr(at + 5);
    text.resize(at);
  }
  std::string path = scratch() / "trace";
  std::filesystem::remove_all(path);
  auto directory = create_trace_directory(path);
  if (!directory) return 0;
  write_file(path + "/manifest.json", with_checksum(text));
  write_file(path + "/streams", streams);
  auto job = read_mpi_manifest(directory->get());
  auto reader = TraceReader::open(path);
  if (!reader) return 0;
  for (uint32_t i = 0; i < reader->slots(); i++) {
    StreamCursor cursor = reader->stream(i);
    for (auto action = cursor.next(); action && *action; action = cursor.next()) {
    }
  }
  return 0;
}
