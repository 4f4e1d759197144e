// The traces of processes that a recorded program forked and of programs that it executed, with `record --children`:
// directories `children/PID` in its own trace. Those of forked children continue their parents' (trace_reader.h), the
// others are traces like any other. What these fork and execute is there as well. Used by the tools.
//
// A program that was built with Anaphora and finds itself executed so runs itself again under the tool; where and by
// what is in its environment (interpose/recorded_child.cc).
#pragma once
#include <string>
#include <vector>

#include "trace/result.h"

namespace ana {

constexpr const char* kChildrenName = "children";
constexpr const char* kChildrenVariable = "ANAPHORA_CHILDREN";  // directory
constexpr const char* kToolVariable = "ANAPHORA_TOOL";          // path of the tool

// Where they go, absolute. For a program that was itself executed by a recorded one: the directory in which its own trace
// lies; empty if it does not.
std::string children_directory(const std::string& trace);
std::string inherited_children(const std::string& trace);

// Makes the directory in the trace and puts both variables into the environment.
Status prepare_children(const std::string& trace);

// Process ids, in order; a program that executed another one is followed by PID-2 and so on.
std::vector<std::string> child_names(const std::string& trace);
std::string child_trace(const std::string& trace, const std::string& name);

// All of them, and the directory; nothing if there is none.
Status remove_children(const std::string& trace);

}  // namespace ana
