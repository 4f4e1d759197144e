// Turns the streams of a trace into what replay follows (schedule.h), in a memfd that the program maps.
//
// Only sinks are logged, so the publications of a slot are derived: the distinct (edges, count) pairs that the edges of
// all slots name it with as their source, in that order. An edge then waits for "this many publications".
//
// A trace whose recorder was killed stops each slot at a different time. An edge may then wait for something that its
// source never gets to; the slot is cut there, as if it had been waiting there when the program died, and so on until
// nothing waits in vain.
#pragma once
#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

#include "trace/kept_files.h"
#include "trace/known_operands.h"
#include "trace/mapped_libraries.h"
#include "trace/result.h"
#include "trace/trace_reader.h"
#include "trace/unique_fd.h"

namespace ana {

struct Schedule {
  UniqueFd file;
  uint64_t bytes = 0;
  uint32_t slots = 0;
  uint64_t edges = 0;
  uint64_t values = 0;
  uint64_t publications = 0;
  uint32_t cut_slots = 0;
  std::vector<KeptInput> kept;
  MappedLibraries libraries;
  std::vector<KnownOperand> operands;  // of the program's code, if it is followed by a translation
  // What cannot be true in the trace of a correct recorder: threads would wait for what never comes, or for each other.
  std::vector<std::string> problems;
};

// Told how many raw bytes of how many have been read.
using Progress = std::function<void(uint64_t done, uint64_t total)>;

Result<Schedule> load_schedule(const TraceReader& reader, const Progress& progress = {});
// Adds a table (step_table.h), so that the replay is followed instruction by instruction.
Status add_steps(Schedule& schedule, const std::vector<uint8_t>& table);
// The same by a translation of the program's code (translation.h); either replaces the other.
Status add_translation(Schedule& schedule, const std::vector<uint8_t>& translation, std::vector<KnownOperand> operands);

}  // namespace ana
