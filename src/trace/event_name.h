// Events as users write them: "2:1234" is event 1234 of the thread in slot 2.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ana {

struct EventName {
  uint32_t slot;
  uint64_t count;
};

inline std::optional<EventName> parse_event(std::string_view text) {
  EventName event{};
  const char* end = text.data() + text.size();
  auto slot = std::from_chars(text.data(), end, event.slot);
  if (slot.ec != std::errc() || slot.ptr == end || *slot.ptr != ':') return std::nullopt;
  auto count = std::from_chars(slot.ptr + 1, end, event.count);
  if (count.ec != std::errc() || count.ptr != end) return std::nullopt;
  return event;
}

}  // namespace ana
