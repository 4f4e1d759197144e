// From the streams of a trace to lanes: one for each slot, with its recorded actions and the publications that others
// came after, which follow from their edges (docs/format.md). What only replay cares about is left out.
#pragma once
#include <functional>
#include <string>

#include "trace/load_schedule.h"
#include "trace/trace_reader.h"
#include "view/picture.h"

namespace ana::view {

// What the reader of streams cannot know.
struct Describe {
  std::function<Place(uint64_t site)> place;
  std::function<std::string(uint32_t op)> operation;
  std::function<std::string(const Value& value)> note;  // empty: nothing to say
};

// Appends the lanes of `reader`. `rank` is -1 unless these are the threads of a rank.
Status add_threads(const TraceReader& reader, int64_t rank, const Describe& describe, const Progress& progress,
                   Picture& picture);

}  // namespace ana::view
