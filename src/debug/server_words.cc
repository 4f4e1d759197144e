// What gdb's `monitor` understands, and what is told of threads.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "debug/server.h"
#include "runtime/layout.h"
#include "trace/event_name.h"

namespace ana::debug {

namespace {

std::string xml(const std::string& text) {
  std::string safe;
  for (char c : text) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return safe;
}

struct Wanted {
  WantedKind kind;
  uint64_t object;  // or one more than a slot
  bool is_thread() const { return object < kFirstLock; }
};

Wanted wanted(const SlotShared& slot) {
  constexpr uint64_t kObject = (uint64_t{1} << kWantedKindShift) - 1;
  return {static_cast<WantedKind>(slot.locks.wants >> kWantedKindShift), slot.locks.wants & kObject};
}

const char* name_of(WantedKind kind) {
  switch (kind) {
    case WantedKind::kUnknown: break;
    case WantedKind::kMutex: return "mutex ";
    case WantedKind::kReadWriteLock: return "read-write lock ";
    case WantedKind::kSpinLock: return "spin lock ";
    case WantedKind::kCondition: return "condition variable ";
    case WantedKind::kSemaphore: return "semaphore ";
    case WantedKind::kBarrier: return "barrier ";
  }
  return "";
}

// What of it nobody can have, or nobody has.
const char* without_owner(WantedKind kind) {
  switch (kind) {
    case WantedKind::kUnknown: return "";
    case WantedKind::kCondition: return ", which nobody has: somebody has to signal it";
    case WantedKind::kBarrier: return ", which nobody has: others have to come there";
    case WantedKind::kSemaphore: return ", which nobody is known to have taken: somebody has to post it";
    default: return ", which nobody is known to have taken";
  }
}

bool is_divergence(uint32_t report) {
  switch (static_cast<ReportKind>(report)) {
    case ReportKind::kDivergedValue: case ReportKind::kDivergedCount: case ReportKind::kDivergedOrder:
    case ReportKind::kDivergedOutput: case ReportKind::kDivergedAccess: case ReportKind::kLeftover:
    case ReportKind::kStuck: case ReportKind::kFileChanged: case ReportKind::kKeptChanged: return true;
    default: return false;
  }
}

}  // namespace

bool Server::has_diverged() { return history_.at_end() && is_divergence(history_.live().header().report.kind); }

std::string Server::describe_thread(uint32_t slot) {
  SlotShared shared = history_.live().slot(slot);
  bool holds = history_.live().holder() == slot;
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
  known_.clear();
  for (uint32_t slot : history_.live().slots()) {
    known_.insert(slot);
    text += fmt::format("<thread id=\"{:x}\">{}</thread>", slot + 1, xml(describe_thread(slot)));
  }
  return text + "</threads>";
}

// The slots whose threads have what this one wants.
std::vector<uint32_t> Server::awaited(uint32_t slot) {
  Wanted wants = wanted(history_.live().slot(slot));
  auto slots = history_.live().slots();
  std::vector<uint32_t> found;
  for (uint32_t other : slots) {
    DebugLocks locks = history_.live().slot(other).locks;
    bool has = std::find(std::begin(locks.taken), std::end(locks.taken), wants.object) != std::end(locks.taken);
    if (wants.is_thread() ? wants.object == other + 1 : has) found.push_back(other);
  }
  return found;
}

std::string Server::describe_wait(uint32_t slot) {
  Wanted wants = wanted(history_.live().slot(slot));
  if (wants.object == 0) return "";
  if (wants.is_thread()) return fmt::format(", wants slot {} to end", wants.object - 1);
  std::string text = fmt::format(", wants {}{:#x}", name_of(wants.kind), wants.object);
  auto owners = awaited(slot);
  if (owners.empty()) return text + without_owner(wants.kind);
  for (uint32_t owner : owners)
    text += (owner == owners.front() ? ", which " : " and ") + (owner == slot ? "it" : fmt::format("slot {}", owner));
  return text + (owners.size() > 1 ? " have taken" : owners[0] == slot ? " has taken itself" : " has taken");
}

// Threads each of which has what the one before wants, and the first what the last wants.
std::vector<uint32_t> Server::circle() {
  for (uint32_t first : history_.live().slots()) {
    std::vector<uint32_t> chain;
    for (uint32_t at = first; std::find(chain.begin(), chain.end(), at) == chain.end();) {
      chain.push_back(at);
      auto next = awaited(at);
      if (next.size() != 1) break;
      at = next[0];
      if (at == first) return chain;
    }
  }
  return {};
}

std::string Server::waits() {
  std::string text;
  for (uint32_t slot : history_.live().slots())
    text += fmt::format("thread {}: {}{}\n", slot + 1, describe_thread(slot), describe_wait(slot));
  auto stuck = circle();
  if (stuck.empty()) return text;
  text += "deadlock: ";
  for (uint32_t slot : stuck) text += fmt::format("slot {} waits for ", slot);
  return text + fmt::format("slot {}\n", stuck.front());
}

std::string Server::when(const std::string& thread) {
  SessionHeader header = history_.live().header();
  uint64_t number = std::strtoull(thread.c_str(), nullptr, 10);
  uint32_t slot = number > 0 && number <= header.slots_used ? static_cast<uint32_t>(number - 1) : selected_;
  std::string text = fmt::format("{}:{}", slot, history_.live().count(slot));
  std::string cut;
  for (uint32_t i = 0; i < std::min(header.slots_used, kMaxSlots); i++)
    cut += fmt::format("{}{}:{}", cut.empty() ? "" : " ", i, history_.live().count(i));
  const char* where = has_diverged()      ? ", where the replay differs from the recording"
                      : history_.at_end() ? ", the end of the recording"
                                          : "";
  return fmt::format("{} (all threads: {}){}\n", text, cut, where);
}

std::string Server::monitor(const std::string& words) {
  std::istringstream in(words);
  std::string word, argument;
  in >> word >> argument;
  if (word == "when") return when(argument);
  if (word == "waits") return waits();
  // For our words in gdb.
  if (word == "places")
    return fmt::format("{}\n{}\n{}\n{}\n", texts_.tool, texts_.trace, layout::kHost, layout::kHost + layout::kHostBytes);
  if (word == "seek") {
    auto event = parse_event(argument);
    if (!event) return "seek needs a thread and an event, as in `seek 1:2000`\n";
    jump_ = [=, this] { return history_.seek(event->slot, event->count); };
    return "";
  }
  if (word == "mark") {
    history_.mark();
    return "";
  }
  if (word == "return") {
    jump_ = [this] { return history_.return_to_mark(); };
    return "";
  }
  if (word == "checkpoint") {
    uint32_t made = history_.keep_checkpoint();
    if (made == 0) return "no checkpoint can be made here\n";
    return fmt::format("Checkpoint {} at {}", made, when(argument));
  }
  if (word == "checkpoints") {
    std::string text;
    for (auto& kept : history_.kept())
      text += fmt::format("{}: {}:{}\n", kept.number, kept.slot, kept.count);
    return text.empty() ? "No checkpoints.\n" : text;
  }
  if (word == "delete") {
    uint32_t number = static_cast<uint32_t>(std::strtoul(argument.c_str(), nullptr, 10));
    return history_.forget(number) ? "" : fmt::format("There is no checkpoint {}.\n", argument);
  }
  if (word == "restart") {
    uint32_t number = static_cast<uint32_t>(std::strtoul(argument.c_str(), nullptr, 10));
    bool known = number == 0;
    for (auto& kept : history_.kept()) known |= kept.number == number;
    if (!known) return fmt::format("There is no checkpoint {}.\n", argument);
    jump_ = [=, this] { return *history_.restart(number); };
    return "";
  }
  return "monitor knows: when, waits, seek T:E, checkpoint, checkpoints, delete N, restart [N]\n";
}

}  // namespace ana::debug
