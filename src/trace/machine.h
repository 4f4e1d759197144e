// What of the machine a replay depends on, or a reader of a trace wants to know.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace ana {

struct Machine {
  std::string cpu;
  std::vector<std::string> features;  // those that programs choose code by, sorted
  std::string kernel;
  uint32_t cores = 0;
};

Machine this_machine();
// Takes the text of /proc/cpuinfo.
Machine parse_cpuinfo(const std::string& text);

// Features that `recorded` has and `present` lacks.
std::vector<std::string> missing_features(const Machine& recorded, const Machine& present);

}  // namespace ana
