// The table of a packed trace, with the right checksum if it is JSON, so that what is behind the check is reached as
// well.
#include <filesystem>

#include "scratch.h"
#include "trace/manifest.h"
#include "trace/packed_files.h"
#include "trace_builder.h"

using namespace ana;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = text_of(data, size), path = scratch() / "packed";
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object()) {
    json.erase("checksum");
    json["checksum"] = checksum_of(json);
    text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::filesystem::create_directories(path + "/files/0");
  write_file(path + "/files/0/app", "program");
  write_file(path + "/files.json", text);
  auto packed = PackedFiles::open(path);
  if (!packed) return 0;
  (void)packed->find("/bin/app");
  (void)packed->check().ok();
  return 0;
}
