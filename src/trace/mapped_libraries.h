// The libraries of a recorded program that were built with Anaphora, and where they were loaded, as the streams of its trace
// say. Traces that do not say where (ElfMapping) have none. Used by the tools.
#pragma once
#include <stdint.h>

#include <optional>
#include <string>
#include <vector>

#include "trace/actions.h"
#include "trace/packed_files.h"
#include "trace/stream_format.h"
#include "trace/trace_reader.h"

namespace ana {

// Of a kOpElfMapping; nothing in older traces.
std::optional<ElfMapping> elf_mapping_in(const Value& value);

struct MappedLibrary {
  std::string file;     // where it is now: in the trace, if that is packed
  uint64_t bias = 0;    // what its addresses are off by
  uint64_t begin = 0, end = 0;
};

// One that is loaded anew at the same place is there once. Others may have been at that place before or after it.
class MappedLibraries {
 public:
  // `value`: of any op.
  void note(const Value& value, const PackedFiles& packed);
  const std::vector<MappedLibrary>& all() const { return all_; }

 private:
  std::vector<MappedLibrary> all_;
};

// What can be read of the trace tells; the rest is unknown.
std::vector<MappedLibrary> read_mapped_libraries(const TraceReader& reader);

}  // namespace ana
