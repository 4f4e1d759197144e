// A file of references: binary, text, or compressed text.
#include "scratch.h"
#include "trace/references.h"

using namespace ana;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string path = scratch() / "references";
  write_file(path, text_of(data, size));
  for (bool details : {false, true}) {
    auto reader = ReferenceReader::open(path, details);
    if (!reader) return 0;
    ReferenceBlock block;
    for (auto more = reader->next(block); more && *more; more = reader->next(block)) {
    }
  }
  return 0;
}
