#include "debug/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "debug/register_layout.h"

namespace ana::debug {

namespace {

constexpr const char* kError = "E01";
constexpr const char* kReadOnly = "E.the replay is what was recorded and cannot be changed";
constexpr size_t kMaxRead = 0x10000;

uint64_t number(std::string_view text, int base = 16) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

bool starts_with(const std::string& text, std::string_view with) { return text.compare(0, with.size(), with) == 0; }

std::string read_file(const std::string& path) {
  std::string bytes;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char piece[4096];
  for (ssize_t n; fd.valid() && (n = ::read(fd.get(), piece, sizeof piece)) > 0;) bytes.append(piece, static_cast<size_t>(n));
  return bytes;
}

// gdb's numbers of signals are its own; these are the ones that end programs.
int gdb_signal(int signal) {
  switch (signal) {
    case SIGBUS: return 10;
    case SIGSYS: return 12;
    case SIGUSR1: return 30;
    case SIGUSR2: return 31;
    default: return signal;
  }
}

std::string part_of(const std::string& whole, const std::string& range) {
  size_t comma = range.find(',');
  uint64_t offset = number(range.substr(0, comma)), length = number(range.substr(comma + 1));
  if (offset >= whole.size()) return "l";
  std::string part = whole.substr(offset, length);
  return (offset + part.size() < whole.size() ? "m" : "l") + escape(part);
}

}  // namespace

void Server::serve() {
  while (!done_) {
    auto packet = connection_.receive();
    if (!packet) return;
    std::string reply = answer(*packet);
    if (done_ && reply.empty()) return;
    connection_.send(reply);
    if (*packet == "QStartNoAckMode") connection_.stop_acknowledging();
  }
}

uint32_t Server::slot_of(const std::string& id) const {
  if (id.empty() || id == "0" || id == "-1") return last_.slot;
  return static_cast<uint32_t>(number(id)) - 1;
}

std::string Server::answer(const std::string& packet) {
  if (packet.empty()) return "";
  switch (packet[0]) {
    case '?': return stop_reply(last_, false);
    case 'g': return all_registers();
    case 'p': return read_register(number(packet.substr(1)));
    case 'm': return read_memory(packet);
    case 'G': case 'P': case 'M': case 'X': return kReadOnly;
    case 'Z': case 'z': return change_stops(packet);
    case 'H': (packet[1] == 'g' ? selected_ : moving_) = slot_of(packet.substr(2)); return "OK";
    case 'T': {
      auto slots = history_.live().slots();
      return std::find(slots.begin(), slots.end(), slot_of(packet.substr(1))) != slots.end() ? "OK" : kError;
    }
    case 'c': case 's': case 'b': case 'C': case 'S': return resume(packet);
    case 'D': done_ = true; return "OK";
    case 'k': done_ = true; return "";
    case 'q': case 'Q': return answer_query(packet);
    case 'v':
      if (packet == "vCont?") return "vCont;c;C;s;S;t;r";
      if (starts_with(packet, "vCont;")) return resume(packet);
      if (starts_with(packet, "vKill")) return done_ = true, "OK";
      return "";
  }
  return "";
}

std::string Server::answer_query(const std::string& packet) {
  if (starts_with(packet, "qSupported"))
    return fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+;"
                       "qXfer:threads:read+;ReverseStep+;ReverseContinue+;swbreak+;hwbreak+;vContSupported+", kMaxRead);
  if (packet == "QStartNoAckMode") return "OK";
  if (packet == "qC") return fmt::format("QC{:x}", last_.slot + 1);
  if (starts_with(packet, "qAttached")) return "1";
  if (starts_with(packet, "qSymbol")) return "OK";
  if (packet == "qfThreadInfo") {
    std::string list = "m";
    known_.clear();
    for (uint32_t slot : history_.live().slots()) {
      list += fmt::format("{}{:x}", list.size() > 1 ? "," : "", slot + 1);
      known_.insert(slot);
    }
    return list;
  }
  if (packet == "qsThreadInfo") return "l";
  if (starts_with(packet, "qThreadExtraInfo,")) return to_hex(describe_thread(slot_of(packet.substr(17))));
  if (starts_with(packet, "qXfer:")) return answer_transfer(packet);
  if (starts_with(packet, "qRcmd,")) {
    std::string text = monitor(from_hex(packet.substr(6)));
    return text.empty() ? "OK" : to_hex(text);
  }
  return "";
}

std::string Server::answer_transfer(const std::string& packet) {
  size_t colon = packet.rfind(':');
  std::string range = packet.substr(colon + 1);
  if (starts_with(packet, "qXfer:features:read:target.xml:")) return part_of(target_description(), range);
  if (starts_with(packet, "qXfer:auxv:read:"))
    return part_of(read_file(fmt::format("/proc/{}/auxv", history_.live().pid())), range);
  if (starts_with(packet, "qXfer:exec-file:read:")) return part_of(texts_.program, range);
  if (starts_with(packet, "qXfer:threads:read:")) return part_of(thread_list(), range);
  return "";
}

std::string Server::read_memory(const std::string& packet) {
  size_t comma = packet.find(',');
  uint64_t at = number(packet.substr(1, comma - 1)), length = std::min<uint64_t>(number(packet.substr(comma + 1)), kMaxRead / 2 - 16);
  std::string bytes(length, 0);
  size_t got = history_.live().read(at, bytes.data(), length);
  if (got == 0 && length != 0) return kError;
  bytes.resize(got);
  return to_hex(bytes);
}

// At the end a thread that has raised a signal, or waits, goes nowhere any more: it is shown where it has made the system
// call. Elsewhere gdb steps from what it is shown, so that is the truth.
std::optional<Registers> Server::shown_registers() {
  if (history_.at_end()) {
    if (auto program = history_.live().at_system_call(selected_)) return program;
  }
  return history_.live().registers(selected_);
}

std::string Server::all_registers() {
  auto registers = shown_registers();
  if (!registers) return kError;
  return to_hex(register_bytes(*registers, history_.live().vector_state(selected_)));
}

std::string Server::read_register(size_t n) {
  auto registers = shown_registers();
  size_t bytes = 0, at = register_place(n, bytes);
  if (!registers || bytes == 0) return kError;
  return to_hex(register_bytes(*registers, history_.live().vector_state(selected_)).substr(at, bytes));
}

// Z<kind>,<address>,<length>: 0 and 1 are breakpoints, 2 and 4 watches for writes, and for both.
std::string Server::change_stops(const std::string& packet) {
  bool set = packet[0] == 'Z';
  char kind = packet[1];
  size_t first = packet.find(','), second = packet.find(',', first + 1);
  uint64_t address = number(packet.substr(first + 1, second - first - 1)), length = number(packet.substr(second + 1));
  if (kind == '0' || kind == '1') {
    if (history_.live().in_host(address)) {
      // gdb has just looked at the thread that it means.
      if (set) history_.host_breakpoints[address] = selected_;
      else history_.host_breakpoints.erase(address);
      return "OK";
    }
    if (set) {
      // Of a library that is not there yet: it is set when it is, which a breakpoint of gdb's in the loader tells.
      history_.breakpoints.insert(address);
    } else {
      history_.breakpoints.erase(address);
    }
    return "OK";
  }
  // No processor watches for reads alone. gdb then watches for both, and leaves out what has changed the value.
  if (kind != '2' && kind != '4') return "";
  // The processor watches aligned words.
  std::set<Watch> changed = history_.watches;
  for (uint64_t at = address, end = address + length; at < end;) {
    uint32_t bytes = 8;
    while (at % bytes != 0 || at + bytes > end) bytes /= 2;
    Watch watch{at, bytes, kind == '2'};
    if (set) changed.insert(watch);
    else changed.erase(watch);
    at += bytes;
  }
  if (changed.size() > kMaxWatches) return "E.the processor watches four words of up to 8 bytes at once, not more";
  history_.watches = changed;
  return "OK";
}

std::string Server::resume(const std::string& packet) {
  if (!replies_.empty()) {
    std::string reply = replies_.back();
    replies_.pop_back();
    selected_ = moving_ = last_.slot;
    return reply;
  }
  Arrival arrival;
  if (packet[0] == 'b') {
    if (jump_) {
      auto jump = std::exchange(jump_, nullptr);
      arrival = jump();
    } else if (packet == "bs") {
      arrival = history_.step_back(moving_);
    } else {
      arrival = history_.go_back();
    }
    return stop_reply(arrival);
  }
  size_t at = packet.find(packet[0] == 'v' ? ';' : packet[0]);
  if (packet[0] == 'v') {
    // The first action that concerns single threads; the others go on in any case.
    std::string action = packet.substr(at + 1, packet.find(';', at + 1) - at - 1);
    size_t colon = action.find(':');
    uint32_t slot = colon == std::string::npos ? moving_ : slot_of(action.substr(colon + 1));
    if (action[0] == 's' || action[0] == 'S') {
      arrival = history_.step(slot);
    } else if (action[0] == 'r') {
      size_t comma = action.find(',');
      arrival = history_.step_in_range(slot, number(action.substr(1, comma - 1)), number(action.substr(comma + 1, colon - comma - 1)));
    } else {
      arrival = history_.go_on();
    }
  } else if (packet[0] == 's' || packet[0] == 'S') {
    arrival = history_.step(moving_);
  } else {
    arrival = history_.go_on();
  }
  return stop_reply(arrival);
}

std::string Server::stop_reply(const Arrival& arrival, bool may_tell) {
  last_ = arrival;
  selected_ = moving_ = arrival.slot;
  bool ends = arrival.kind == Arrival::kEnd || arrival.kind == Arrival::kSignal;
  if (may_tell && ends && !std::exchange(end_told_, true)) connection_.tell(texts_.end(history_.live()));
  else if (may_tell && ends && has_diverged()) connection_.tell("anaphora: the replay differs from the recording here\n");
  if (arrival.kind == Arrival::kLost) connection_.tell("anaphora: " + history_.problem() + "\n");
  std::string reply = plain_reply(arrival);
  return may_tell ? in_order(arrival, reply) : reply;
}

std::string Server::plain_reply(const Arrival& arrival) {
  std::string thread = fmt::format("thread:{:x};", arrival.slot + 1);
  switch (arrival.kind) {
    case Arrival::kBreakpoint: return "T05" + thread + "swbreak:;";
    case Arrival::kWatch: return "T05" + thread + fmt::format("watch:{:x};", arrival.address);
    case Arrival::kStep: return "T05" + thread;
    case Arrival::kSignal: return fmt::format("T{:02x}", gdb_signal(arrival.signal)) + thread;
    case Arrival::kInterrupted: return "T02" + thread;
    case Arrival::kBegin: return "T05" + thread + "replaylog:begin;";
    // gdb's sentence for `replaylog` is about the end of the recording.
    case Arrival::kEnd: return has_diverged() ? "T00" + thread : "T05" + thread + "replaylog:end;";
    case Arrival::kThere: case Arrival::kLost: return "T00" + thread;
  }
  return kError;
}

// gdb gives a thread its number when it hears of it, and of the one that has stopped it hears first. What tells of a birth
// is taken by gdb as an event that does not stop the program: it lets it go on, and gets the next reply.
std::string Server::in_order(const Arrival& arrival, const std::string& reply) {
  if (known_.empty() || known_.contains(arrival.slot)) return reply;
  auto slots = history_.live().slots();
  replies_ = {reply};
  for (auto slot = slots.rbegin(); slot != slots.rend(); ++slot)
    if (*slot < arrival.slot && !known_.contains(*slot))
      replies_.push_back(fmt::format("T05thread:{:x};create:;", *slot + 1));
  known_.insert(slots.begin(), slots.end());
  std::string first = replies_.back();
  replies_.pop_back();
  return first;
}

}  // namespace ana::debug
