// A process of the replay, traced; there may be many of one execution: the one that runs, and the checkpoints, which are
// copies of it that are not run. Its threads are known by their slots.
//
// Serial (runtime/host/order/serial.h), one thread runs at a time, the *holder*; the others sleep in the host. They are
// stopped for the tool only when somebody wants to see them, or a copy is made.
//
// A copy is made as a process makes one of itself: one thread is made to call fork; in the child, which has that thread
// only, it is made to create the others again, which get the registers, masks and lists of those they stand for.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "debug/tracee.h"
#include "trace/debug_control.h"
#include "trace/result.h"
#include "trace/session.h"

namespace ana::debug {

struct Watch {
  uint64_t address = 0;
  uint32_t bytes = 1;  // 1, 2, 4 or 8, aligned
  bool writes_only = true;
  auto operator<=>(const Watch&) const = default;
};
constexpr size_t kMaxWatches = 4;

struct Stop {
  enum Kind {
    kBreakpoint,   // before the instruction at `address`
    kWatch,        // `address` has been accessed by the instruction before
    kStep,         // one instruction has been executed
    kTrap,         // DebugTrap `trap`
    kSignal,       // which ends the program: `signal`
    kInterrupted,  // by the user
    kTime,         // the time given has passed
    kGone,         // the process is no more
  };
  Kind kind = kGone;
  uint32_t slot = 0;
  uint64_t address = 0;
  DebugTrap trap{};
  int signal = 0;
  uint32_t hits = 0;  // kWatch: which of the watches, in their order, as bits
};

// Who may want to interrupt a run.
class Interrupter {
 public:
  virtual ~Interrupter() = default;
  virtual int fd() const = 0;              // readable if there may be something
  virtual bool wants_interrupt() = 0;      // called when it is; also if whoever it was has gone
};

class Replica {
 public:
  // A process that has been seized and stands at the beginning of the host: runs it up to the program's first
  // instruction.
  static Result<std::unique_ptr<Replica>> adopt(pid_t pid, Interrupter& interrupter);
  virtual ~Replica();
  Replica(const Replica&) = delete;

  // Null if the system has no room for another one.
  virtual std::unique_ptr<Replica> copy();

  // How many bytes there are. Breakpoints are not seen.
  size_t read(uint64_t at, void* to, size_t bytes) const;
  bool write(uint64_t at, const void* from, size_t bytes);
  template <class T>
  T get(uint64_t at) const {
    T value{};
    read(at, &value, sizeof value);
    return value;
  }
  virtual DebugControl control() const;
  void set_control(const DebugControl& control);
  SlotShared slot(uint32_t i) const;       // without its ring
  SessionHeader header() const;
  uint32_t holder() const { return control().holder; }
  uint64_t count(uint32_t slot) const;
  pid_t pid() const { return pid_; }

  // The slots that have a thread.
  std::vector<uint32_t> slots();
  // Of a slot's thread, which is stopped for that if need be.
  std::optional<Registers> registers(uint32_t slot);
  // Of the program, at the system call for which its patched code has called the host; nothing if it has not.
  std::optional<Registers> at_system_call(uint32_t slot);
  void set_registers(uint32_t slot, const Registers& registers);
  std::vector<char> vector_state(uint32_t slot);

  void set_breakpoints(const std::set<uint64_t>& addresses);
  void set_watches(const std::set<Watch>& watches);
  // Ends serial: all threads run side by side from now on.
  void set_free();
  // Trap at the first event of the slot that has this number or a larger one.
  void stop_at_count(uint32_t slot, uint64_t count);

  // Until something happens. `milliseconds`: at most, if not 0. A breakpoint at the present place does not count.
  virtual Stop run(int milliseconds = 0);
  // The user wants what is going on to end.
  bool wants_interrupt();
  // One instruction of the slot's thread, if it is the holder's; of the host as well.
  Stop step(uint32_t slot);
  // The slot's thread is followed instruction by instruction while the others run, until it is out of the host.
  Stop leave_host(uint32_t slot);
  virtual bool in_host(uint64_t pc) const;

 protected:
  struct Thread {
    bool stopped = true;
    int pending = 0;               // status of a stop not yet looked at; 0: none
    uint32_t slot = kNoSlot;       // known when it has come to the host's
    uint64_t watches = 0;          // number of the set that its debug registers have
  };
  Replica(pid_t pid, Interrupter& interrupter);

  Thread* find(uint32_t slot, pid_t& tid);
  void stop_all();
  void stop_thread(pid_t tid, Thread& thread);
  bool resume(pid_t tid, Thread& thread, int request, int signal = 0);
  virtual void resume_others(pid_t but);
  void apply_watches(pid_t tid, Thread& thread);
  void hide_trap_flag(pid_t tid);
  bool poke(uint64_t at, const void* from, size_t bytes) const;
  // The next thread that has stopped, or nothing: time is up or the user has interrupted, see `why`.
  struct Waited { pid_t tid = 0; int status = 0; Stop::Kind why = Stop::kGone; };
  Waited wait(int milliseconds);
  // What the stop means; nothing if the thread has to go on.
  std::optional<Stop> judge(pid_t tid, int status, bool stepping);
  // An event of ptrace's, but for new threads.
  virtual std::optional<Stop> judge_event(pid_t, int) { return std::nullopt; }
  // Nothing has happened for so long; -1: there is nothing to do then.
  virtual int idle_milliseconds() const { return -1; }
  virtual void idle() {}
  std::optional<Stop> judge_trap(pid_t tid, Thread& thread, bool stepping);
  void enter_created(pid_t creator);
  bool is_caught(int signal) const;
  bool recreate(Replica& child, const std::map<uint32_t, ThreadState>& states, uint32_t forked);
  bool rearm(pid_t tid, uint32_t slot, const ThreadState& state);
  uint64_t scratch() const;
  // A function of the host's begins there that programs call.
  bool is_entry(uint64_t pc) const;
  virtual void identify(pid_t tid, Thread& thread) const;

  pid_t pid_;
  Interrupter& interrupter_;
  int memory_ = -1;
  std::map<pid_t, Thread> threads_;
  std::map<uint64_t, uint8_t> breakpoints_;  // with the bytes that were there
  std::set<Watch> watches_;
  uint64_t watches_number_ = 1;
  bool gone_ = false;
};

}  // namespace ana::debug
