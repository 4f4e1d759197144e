// Runs another program for what it prints.
#pragma once
#include <string>
#include <vector>

namespace ana {

// The standard output of a command, or nothing if it cannot be run.
std::string output_of(const std::vector<std::string>& command);

}  // namespace ana
