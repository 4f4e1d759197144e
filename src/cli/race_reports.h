// Data races for a reader, as JSON and as SARIF 2.1.0.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "cli/thread_races.h"

namespace ana {

void print_races(const ThreadRaces& races, MemoryNames& names);
nlohmann::json races_json(const ThreadRaces& races, MemoryNames& names);
nlohmann::json races_sarif(const ThreadRaces& races, MemoryNames& names);
Status write_sarif(const std::string& path, const ThreadRaces& races, MemoryNames& names);

}  // namespace ana
