// What gdb's `monitor` understands, and what is told of threads.
#include <fmt/format.h>

#include <sstream>

#include "debug/server.h"
#include "trace/event_name.h"

namespace ana::debug {

namespace {

std::string xml(const std::string& text) {
  std::string safe;
  for (char c : text) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return safe;
}

}  // namespace

std::string Server::describe_thread(uint32_t slot) {
  SlotShared shared = timeline_.live().slot(slot);
  bool holds = timeline_.live().holder() == slot;
  std::string text = fmt::format("slot {}, event {}", slot, shared.count);
  auto state = static_cast<SlotState>(shared.status.state);
  auto waits = static_cast<SerialState>(shared.wait.kind);
  if (state == SlotState::kWaiting) {
    text += shared.wait.slot == kNoSlot ? ", waits" : fmt::format(", waits for slot {}", shared.wait.slot);
    if (shared.status.wait_site > 4096) text += " at " + texts_.site(shared.status.wait_site);
  } else if (state == SlotState::kParked) {
    text += ", at the end of its recording";
  } else if (!holds && waits != SerialState::kReady) {
    text += ", waits";
  } else if (!holds) {
    text += ", waits for its turn";
  }
  return text;
}

std::string Server::thread_list() {
  std::string text = "<?xml version=\"1.0\"?><threads>";
  for (uint32_t slot : timeline_.live().slots())
    text += fmt::format("<thread id=\"{:x}\">{}</thread>", slot + 1, xml(describe_thread(slot)));
  return text + "</threads>";
}

std::string Server::waits() {
  std::string text;
  for (uint32_t slot : timeline_.live().slots()) text += fmt::format("thread {}: {}\n", slot + 1, describe_thread(slot));
  return text;
}

std::string Server::when() {
  SessionHeader header = timeline_.live().header();
  std::string text = fmt::format("{}:{}", selected_, timeline_.live().count(selected_));
  std::string cut;
  for (uint32_t i = 0; i < std::min(header.slots_used, kMaxSlots); i++)
    cut += fmt::format("{}{}:{}", cut.empty() ? "" : " ", i, timeline_.live().count(i));
  return fmt::format("{} (all threads: {}){}\n", text, cut, timeline_.at_end() ? ", the end of the recording" : "");
}

std::string Server::monitor(const std::string& words) {
  std::istringstream in(words);
  std::string word, argument;
  in >> word >> argument;
  if (word == "when") return when();
  if (word == "waits") return waits();
  if (word == "seek") {
    auto event = parse_event(argument);
    if (!event) return "seek needs a thread and an event, as in `seek 1:2000`\n";
    jump_ = [=, this] { return timeline_.seek(event->slot, event->count); };
    return "";
  }
  if (word == "checkpoint") {
    uint32_t made = timeline_.keep_checkpoint();
    if (made == 0) return "no checkpoint can be made here\n";
    return fmt::format("Checkpoint {} at {}", made, when());
  }
  if (word == "checkpoints") {
    std::string text;
    for (auto& kept : timeline_.kept())
      text += fmt::format("{}: {}:{}\n", kept.number, kept.position.slot, kept.position.count);
    return text.empty() ? "No checkpoints.\n" : text;
  }
  if (word == "delete") {
    uint32_t number = static_cast<uint32_t>(std::strtoul(argument.c_str(), nullptr, 10));
    return timeline_.forget(number) ? "" : fmt::format("There is no checkpoint {}.\n", argument);
  }
  if (word == "restart") {
    uint32_t number = static_cast<uint32_t>(std::strtoul(argument.c_str(), nullptr, 10));
    bool known = number == 0;
    for (auto& kept : timeline_.kept()) known |= kept.number == number;
    if (!known) return fmt::format("There is no checkpoint {}.\n", argument);
    jump_ = [=, this] { return *timeline_.restart(number); };
    return "";
  }
  return "monitor knows: when, waits, seek T:E, checkpoint, checkpoints, delete N, restart [N]\n";
}

}  // namespace ana::debug
