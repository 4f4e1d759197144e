// A process of a rank that is replayed alone from its contents (trace/rank_session.h), traced, and copies of it. Nothing
// is recorded of such a program but what it gets from MPI, and it runs as it is; so all of it is the program's, and the
// slots are just the numbers of its threads. The first one is the one that is followed.
//
// MPI has a thread of its own, which would make a difference to the first one from time to time. So it is stopped, but in
// MPI_Init and when the first thread waits. If the program itself makes threads, all run.
//
// A filter of system calls (install_filter()) stops the program before it ends and when it writes to stdout and stderr,
// so that what has been shown already is not shown again by a copy that was behind.
#pragma once
#include <chrono>

#include "debug/replica.h"
#include "trace/rank_link.h"

namespace ana::debug {

// What ends a run.
struct Stops {
  std::set<uint64_t> breakpoints;
  std::set<Watch> watches;
  bool operator==(const Stops&) const = default;

  Stops with(const Stops& others) const;
  // Whether the stop, of a run with the stops `of`, at this instruction, is one of these.
  bool contain(const Stop& stop, const Stops& of, uint64_t pc) const;
};

class RankReplica : public Replica {
 public:
  // Between fork and exec. False: errno says why.
  static bool install_filter();
  // A process that has been seized and waits to execute the program: runs it up to the program's first instruction.
  // `library`: ours.
  static Result<std::unique_ptr<RankReplica>> adopt(pid_t pid, Interrupter& interrupter, const std::string& library);

  std::unique_ptr<Replica> copy() override;
  std::unique_ptr<RankReplica> copy_rank();
  DebugControl control() const override { return {}; }
  bool in_host(uint64_t) const override { return false; }

  Stop run(int milliseconds = 0) override;
  Stop run(const Stops& stops, int milliseconds = 0);
  // For so long, in the first thread's time of the processor; false: something has stopped it before.
  bool run_for(const Stops& stops, std::chrono::nanoseconds time);
  std::chrono::nanoseconds processor_time() const;
  // As many instructions of the first thread, unless something stops it; says how many.
  uint64_t steps(uint64_t most, const Stops& stops, Stop& stop);

  uint64_t pc() { return registers(0).value_or(Registers{}).rip; }
  uint64_t call_place() const { return call_place_; }  // kCallBegins
  uint64_t start_place() const { return start_place_; }  // kRankStarts
  // In the dynamic loader gdb has breakpoints of its own, by which it learns of libraries.
  bool in_loader(uint64_t pc) const { return pc >= loader_begin_ && pc < loader_end_; }
  bool has_started() const { return find_page() && page_word(offsetof(RankPage, debugged)) != 0; }
  uint64_t calls() const { return page_word(offsetof(RankPage, calls)); }
  bool has_threads() const { return page_word(offsetof(RankPage, threads_made)) != 0; }
  uint64_t outputs() const { return outputs_; }
  // Writes before this one are not shown.
  void show_from(uint64_t output) { shown_ = output; }

 private:
  RankReplica(pid_t pid, Interrupter& interrupter) : Replica(pid, interrupter) {}
  bool find_page() const;
  uint64_t page_word(uint64_t offset) const;
  Status prepare(const std::string& library);
  bool reopen_files(RankReplica& child) const;
  bool call(pid_t tid, long number, std::vector<uint64_t> arguments, long* result = nullptr, pid_t* created = nullptr) const;
  bool helpers_may_run() const;
  void identify(pid_t tid, Thread& thread) const override;
  void resume_others(pid_t but) override;
  std::optional<Stop> judge_event(pid_t tid, int event) override;
  int idle_milliseconds() const override { return 20; }
  void idle() override;

  uint64_t system_call_ = 0, scratch_ = 0, call_place_ = 0, start_place_ = 0, loader_begin_ = 0, loader_end_ = 0;
  mutable uint64_t page_ = 0;                // its address; 0: not mapped yet
  std::map<uint32_t, uint64_t> tid_words_;   // by slot
  uint64_t outputs_ = 0, shown_ = 0;
};

}  // namespace ana::debug
