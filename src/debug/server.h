// gdb's remote protocol over a history. gdb may look at everything and change nothing: what is replayed is what was
// recorded. Threads have the numbers of their slots plus one.
//
// Jumps (`seek`, `restart`) are asked for by gdb's `monitor` and made at the next reverse-continue, so that gdb takes
// them for a stop like any other and forgets what it knew.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "debug/connection.h"
#include "debug/history.h"

namespace ana::debug {

struct ServerTexts {
  std::string program;                              // path of the recorded program
  std::string tool, trace;                          // paths of this tool and of the trace
  std::function<std::string(Replica&)> end;         // why the recording ends where it does
  std::function<std::string(uint64_t)> site;        // where a site is in the source
};

class Server {
 public:
  Server(History& history, Connection& connection, ServerTexts texts)
      : history_(history), connection_(connection), texts_(std::move(texts)) {}
  virtual ~Server() = default;

  // Until gdb has gone.
  void serve();
  // What gdb is told first.
  void start_at(const Arrival& arrival) { last_ = arrival; }

 protected:
  virtual std::string describe_thread(uint32_t slot);
  virtual std::string waits();
  // Of the thread that gdb numbers so; of the selected one if that says nothing.
  virtual std::string when(const std::string& thread);
  History& history() { return history_; }

 private:
  std::string answer(const std::string& packet);
  std::string answer_query(const std::string& packet);
  std::string answer_transfer(const std::string& packet);
  std::string resume(const std::string& packet);
  std::string change_stops(const std::string& packet);
  std::string read_memory(const std::string& packet);
  std::string read_register(size_t n);
  std::optional<Registers> shown_registers();
  std::string all_registers();
  // `may_tell`: gdb waits for the program, and takes text.
  std::string stop_reply(const Arrival& arrival, bool may_tell = true);
  std::string monitor(const std::string& words);
  std::string thread_list();
  // The replay cannot go on, though the recording does.
  bool has_diverged();
  std::string plain_reply(const Arrival& arrival);
  // The same stop, told after the births of the threads before it that gdb does not know.
  std::string in_order(const Arrival& arrival, const std::string& reply);
  std::string describe_wait(uint32_t slot);
  std::vector<uint32_t> awaited(uint32_t slot);
  std::vector<uint32_t> circle();
  uint32_t slot_of(const std::string& id) const;

  History& history_;
  Connection& connection_;
  ServerTexts texts_;
  Arrival last_{Arrival::kThere, 0, 0, 0};
  uint32_t selected_ = 0;   // slot that gdb asks about
  uint32_t moving_ = 0;     // slot that gdb wants to go on
  bool done_ = false;
  bool end_told_ = false;
  std::function<Arrival()> jump_;
  std::set<uint32_t> known_;          // slots of whose threads gdb knows
  std::vector<std::string> replies_;  // to be given, the last first, each when gdb lets the program go on
};

}  // namespace ana::debug
