// An execution as it is drawn: lanes of events, and which event of another lane each came after. Made from a trace
// (read_threads.h, read_ranks.h), put in order (order.h), and written as a web page (page.h) or for Perfetto
// (perfetto.h). Plain data, used from one thread.
#pragma once
#include <stdint.h>

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace ana::view {

// The page has these numbers, too (web/src/kinds.ts).
enum class Kind : uint8_t {
  kAccess = 0,   // an access to memory that had to come after another thread's: a frontier race
  kSync = 1,     // an operation of the runtime (lock, condition, join, pool, stream) that came after another thread's
  kGave = 2,     // the other end of one or more of these: what others came after
  kCall = 3,     // a system call
  kInput = 4,    // another input: a library call, an instruction, the outcome of an operation
  kThread = 5,   // the beginning or end of a thread, or its creation
  kSignal = 6,   // a handler was entered
  kMessage = 7,  // a message was received
  kAnswer = 8,   // what a test, probe, wait or clock of MPI said
  kStop = 9,     // the thread was alive when the program died
};
constexpr uint32_t kKinds = 10;
const char* name_of(Kind kind);

constexpr uint32_t kNoLane = 0xffffffff;
// `from_index` of a message: its sending is not recorded, so it is known to be somewhere in its lane.
constexpr uint32_t kSomewhere = 0xffffffff;

// Of an edge at an access: whether both threads used the same bytes. Known only with a file of references (sharing.h).
enum class Sharing : uint8_t { kUnknown = 0, kSame = 1, kNeighbours = 2 };

struct Event {
  uint64_t count = 0;      // the thread's clock; of a rank: the number of the event
  uint64_t at = 0;         // its place in the order of all events
  int64_t result = 0;      // of a value; of a message: its tag
  uint32_t from_lane = kNoLane, from_index = 0;  // the event that it came after, if any
  uint32_t place = 0;      // in Picture::places; 0: unknown
  uint32_t what = 0;       // in Picture::texts: what it is called
  uint32_t note = 0;       // in Picture::texts: its bytes, for a reader; 0: none
  Kind kind = Kind::kInput;
  Sharing sharing = Sharing::kUnknown;
  uint64_t address = 0;    // of an access whose sharing is known
};

struct Lane {
  std::string name;
  uint32_t thread = 0;       // T of T:E
  int64_t rank = -1;         // of an MPI job, else -1
  double stretch = 1;        // how much work a count stands for, compared with other lanes
  std::vector<Event> events;
};

struct Place {
  std::string file, function;
  uint32_t line = 0, column = 0;
  std::string source;  // the text of the line, if the file could be read
};

// Strings, each once. Text 0 is empty.
class Texts {
 public:
  Texts() { add(""); }
  uint32_t add(const std::string& text) {
    auto [at, added] = index_.try_emplace(text, static_cast<uint32_t>(all_.size()));
    if (added) {
      all_.push_back(text);
      bytes_ += text.size();
    }
    return at->second;
  }
  const std::vector<std::string>& all() const { return all_; }
  uint64_t bytes() const { return bytes_; }

 private:
  std::vector<std::string> all_;
  std::unordered_map<std::string, uint32_t> index_;
  uint64_t bytes_ = 0;
};

struct Picture {
  nlohmann::json about = nlohmann::json::object();  // of the trace: command, end and the like, for the reader
  std::vector<Lane> lanes;
  std::vector<Place> places = {{}};
  Texts texts;
  bool notes_left_out = false;  // there were too many different ones
  bool has_sharing = false;     // it was looked for

  uint64_t events() const {
    uint64_t sum = 0;
    for (const Lane& lane : lanes) sum += lane.events.size();
    return sum;
  }
};

}  // namespace ana::view
