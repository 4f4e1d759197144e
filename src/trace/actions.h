// The records of a stream as values. What each field means is said in stream_format.h.
#pragma once
#include <stdint.h>
#include <string.h>

#include <span>
#include <string>
#include <variant>

namespace ana {

struct Edge {
  uint64_t count;
  uint64_t site;
  uint32_t source;
  uint64_t source_count;
  uint64_t source_edges;
};

struct Value {
  uint64_t count;
  uint32_t op;
  int64_t result;
  std::span<const uint8_t> bytes;  // valid until the decoder moves on
};

// Of an op that names a file.
inline std::string path_in(const Value& value) {
  const char* text = reinterpret_cast<const char*>(value.bytes.data());
  return {text, strnlen(text, value.bytes.size())};
}

using Action = std::variant<Edge, Value>;

inline uint64_t count_of(const Action& action) {
  return std::visit([](const auto& a) { return a.count; }, action);
}

}  // namespace ana
