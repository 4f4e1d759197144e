#include "debug/rank_replica.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trace/elf_file.h"
#include "trace/unique_fd.h"

namespace ana::debug {

namespace {

using Clock = std::chrono::steady_clock;
constexpr long kOptions = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
constexpr uint64_t kThreadFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                  CLONE_SETTLS | CLONE_CHILD_CLEARTID;
constexpr uint64_t kScratchBytes = 8192, kScratchStack = 4096;
constexpr uint16_t kSystemCall = 0x050f;
constexpr uint8_t kPushFlags = 0x9c;
constexpr int kClockSignal = SIGSTKFLT;  // which nobody else sends

struct Mapped {
  uint64_t begin, end, offset;
  std::string path;
};

std::vector<Mapped> mappings(pid_t pid) {
  std::vector<Mapped> all;
  std::ifstream in(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(in, line);) {
    unsigned long begin, end, offset;
    int path = 0;
    if (::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &begin, &end, &offset, &path) < 3 || path == 0) continue;
    all.push_back({begin, end, offset, line.substr(static_cast<size_t>(path))});
  }
  return all;
}

uint64_t auxiliary(pid_t pid, uint64_t wanted) {
  std::ifstream in(fmt::format("/proc/{}/auxv", pid), std::ios::binary);
  for (Elf64_auxv_t entry; in.read(reinterpret_cast<char*>(&entry), sizeof entry);)
    if (entry.a_type == wanted) return entry.a_un.a_val;
  return 0;
}

bool sleeps(pid_t tid) {
  std::ifstream in(fmt::format("/proc/{}/stat", tid));
  std::string line;
  std::getline(in, line);
  size_t at = line.rfind(')');
  return at != std::string::npos && at + 2 < line.size() && (line[at + 2] == 'S' || line[at + 2] == 'D');
}

// Sends the signal when the thread has run for so long; not valid: the system does not let us.
UniqueFd open_clock(pid_t tid, std::chrono::nanoseconds time) {
  perf_event_attr clock{};
  clock.size = sizeof clock;
  clock.type = PERF_TYPE_SOFTWARE;
  clock.config = PERF_COUNT_SW_TASK_CLOCK;
  clock.sample_period = static_cast<uint64_t>(time.count());
  clock.wakeup_events = 1;
  clock.disabled = clock.exclude_kernel = clock.exclude_hv = 1;
  UniqueFd fd(static_cast<int>(::syscall(SYS_perf_event_open, &clock, tid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  f_owner_ex owner{F_OWNER_TID, tid};
  bool fine = fd.valid() && ::fcntl(fd.get(), F_SETFL, O_ASYNC) == 0 && ::fcntl(fd.get(), F_SETSIG, kClockSignal) == 0 &&
              ::fcntl(fd.get(), F_SETOWN_EX, &owner) == 0;
  return fine ? std::move(fd) : UniqueFd();
}

}  // namespace

Stops Stops::with(const Stops& others) const {
  Stops all = *this;
  all.breakpoints.insert(others.breakpoints.begin(), others.breakpoints.end());
  all.watches.insert(others.watches.begin(), others.watches.end());
  return all;
}

// Whoever stops for a watch does not stop once more for a breakpoint at the same place.
bool Stops::contain(const Stop& stop, const Stops& of, uint64_t pc) const {
  if (breakpoints.contains(pc)) return true;
  if (stop.kind != Stop::kWatch) return false;
  int n = 0;
  for (const Watch& watch : of.watches)
    if ((stop.hits >> n++ & 1) != 0 && watches.contains(watch)) return true;
  return false;
}

bool RankReplica::install_filter() {
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr), kFirst = offsetof(seccomp_data, args);
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_writev, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirst),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDOUT_FILENO, 2, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDERR_FILENO, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{sizeof code / sizeof code[0], code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

Result<std::unique_ptr<RankReplica>> RankReplica::adopt(pid_t pid, Interrupter& interrupter, const std::string& library) {
  Error ended{"the program of the rank could not be started"};
  for (int status = 0; status >> 16 != PTRACE_EVENT_EXEC;) {
    if (!wait_for(pid, status) || !WIFSTOPPED(status)) return ended;
    if (status >> 16 != PTRACE_EVENT_EXEC) ::ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  }
  std::unique_ptr<RankReplica> replica(new RankReplica(pid, interrupter));
  replica->set_breakpoints({auxiliary(pid, AT_ENTRY)});
  Stop stop = replica->run();
  replica->set_breakpoints({});
  if (stop.kind != Stop::kBreakpoint) return ended;
  if (Status s = replica->prepare(library); !s) return s.error();
  return replica;
}

Status RankReplica::prepare(const std::string& library) {
  uint64_t begin = auxiliary(pid_, AT_SYSINFO_EHDR), base = 0;
  std::string loader;
  loader_begin_ = auxiliary(pid_, AT_BASE);
  for (const Mapped& mapped : mappings(pid_)) {
    if (mapped.begin == begin) {
      std::string code(mapped.end - mapped.begin, 0);
      code.resize(read(begin, code.data(), code.size()));
      size_t at = code.find(std::string(reinterpret_cast<const char*>(&kSystemCall), sizeof kSystemCall));
      if (at != std::string::npos) system_call_ = begin + at;
    }
    if (mapped.begin == loader_begin_) loader = mapped.path;
    if (!loader.empty() && mapped.path == loader) loader_end_ = mapped.end;
    std::error_code unknown;
    if (base == 0 && mapped.offset == 0 && std::filesystem::equivalent(mapped.path, library, unknown)) base = mapped.begin;
  }
  auto elf = ElfFile::open(library);
  if (!elf) return elf.error();
  for (const ElfFile::Symbol& function : elf->functions()) {
    if (function.name == kCallBegins) call_place_ = base + function.address;
    if (function.name == kRankStarts) start_place_ = base + function.address;
  }
  if (base == 0 || call_place_ == 0 || start_place_ == 0 || system_call_ == 0)
    return Error{"our library is not in the rank's process; is its program linked statically?"};
  ThreadState state;
  long made = 0;
  auto registers = Tracee(pid_).registers();
  if (!registers || !Tracee(pid_).save(state)) return Error{"cannot look at the rank's process"};
  scratch_ = registers->rsp - kScratchBytes;  // no stack is needed
  bool fine = call(pid_, SYS_mmap, {0, kScratchBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0}, &made);
  if (!Tracee(pid_).restore(state) || !fine || made <= 0) return Error{"cannot prepare the rank's process"};
  scratch_ = static_cast<uint64_t>(made);
  return {};
}

bool RankReplica::call(pid_t tid, long number, std::vector<uint64_t> arguments, long* result, pid_t* created) const {
  auto got = Tracee(tid).call(system_call_, scratch_ + kScratchStack, number, std::move(arguments), created);
  if (got && result != nullptr) *result = *got;
  return got && *got >= 0;
}

bool RankReplica::find_page() const {
  if (page_ != 0) return true;
  for (const Mapped& mapped : mappings(pid_))
    if (mapped.path.starts_with(std::string("/memfd:") + kRankPageName)) page_ = mapped.begin;
  return page_ != 0;
}

uint64_t RankReplica::page_word(uint64_t offset) const { return find_page() ? get<uint64_t>(page_ + offset) : 0; }

void RankReplica::identify(pid_t tid, Thread& thread) const {
  if (thread.slot != kNoSlot) return;
  uint32_t slot = 0;
  if (tid != pid_)
    for (auto& [id, other] : threads_)
      if (other.slot != kNoSlot) slot = std::max(slot, other.slot);
  thread.slot = tid == pid_ ? 0 : slot + 1;
}

bool RankReplica::helpers_may_run() const {
  return !has_started() || has_threads();
}

void RankReplica::resume_others(pid_t but) {
  bool all = threads_.size() > 1 && helpers_may_run();
  for (auto& [tid, thread] : threads_)
    if (tid != but && thread.stopped && !thread.pending && (all || tid == pid_)) resume(tid, thread, PTRACE_CONT);
}

// The threads that run wait for one that does not.
void RankReplica::idle() {
  for (auto& [tid, thread] : threads_)
    if (!thread.stopped && !sleeps(tid)) return;
  for (auto& [tid, thread] : threads_)
    if (thread.stopped && !thread.pending) resume(tid, thread, PTRACE_CONT);
}

std::optional<Stop> RankReplica::judge_event(pid_t tid, int event) {
  if (event != PTRACE_EVENT_SECCOMP) return std::nullopt;
  auto registers = Tracee(tid).registers();
  if (!registers) return std::nullopt;
  if (registers->orig_rax == SYS_exit_group) {
    Stop stop;
    stop.kind = Stop::kTrap;
    stop.trap = DebugTrap::kEnd;
    stop.slot = threads_[tid].slot;
    return stop;
  }
  if (outputs_++ >= shown_) return std::nullopt;
  uint64_t bytes = registers->rdx;
  if (registers->orig_rax == SYS_writev) {
    bytes = 0;
    for (uint64_t i = 0; i < registers->rdx; i++) bytes += get<uint64_t>(registers->rsi + i * 16 + 8);
  }
  registers->orig_rax = ~0ull;  // it is not made
  registers->rax = bytes;
  Tracee(tid).set_registers(*registers);
  return std::nullopt;
}

Stop RankReplica::run(int milliseconds) {
  if (threads_.size() > 1) {
    std::vector<uint32_t> there;
    for (auto& [tid, thread] : threads_) {
      auto registers = tid != pid_ && thread.stopped && !thread.pending ? Tracee(tid).registers() : std::nullopt;
      if (registers && breakpoints_.contains(registers->rip)) there.push_back(thread.slot);
    }
    for (uint32_t slot : there) {
      Stop stop = step(slot);
      if (stop.kind != Stop::kStep) return stop;
    }
  }
  Stop stop = Replica::run(milliseconds);
  if (!gone_) stop_all();
  return stop;
}

Stop RankReplica::run(const Stops& stops, int milliseconds) {
  set_breakpoints(stops.breakpoints);
  set_watches(stops.watches);
  return run(milliseconds);
}

std::chrono::nanoseconds RankReplica::processor_time() const {
  clockid_t clock;
  timespec now{};
  if (::clock_getcpuclockid(pid_, &clock) == 0) ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

bool RankReplica::run_for(const Stops& stops, std::chrono::nanoseconds time) {
  set_breakpoints(stops.breakpoints);
  set_watches(stops.watches);
  if (breakpoints_.contains(pc()) && step(0).kind != Stop::kStep) return false;
  // The kernel's own clock of the thread stops it closer to the time than we could.
  UniqueFd clock = open_clock(pid_, time);
  auto until = processor_time() + time;
  Thread& thread = threads_[pid_];
  if (clock.valid()) ::ioctl(clock.get(), PERF_EVENT_IOC_REFRESH, 1);
  resume_others(0);
  while (clock.valid() && !thread.stopped) {
    int status = 0;
    if (!wait_for(pid_, status) || !WIFSTOPPED(status)) return gone_ = true, false;
    thread.stopped = true;
    if (status >> 8 == kClockSignal) break;
    // What it writes is not the end of it, nor is a signal that it catches.
    int event = status >> 16, signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP && !judge_event(pid_, event)) resume(pid_, thread, PTRACE_CONT);
    else if (event == 0 && signal != SIGTRAP && is_caught(signal)) resume(pid_, thread, PTRACE_CONT, signal);
    else thread.pending = status;
  }
  while (!clock.valid() && processor_time() < until) {
    if (sleeps(pid_)) ::usleep(100);
  }
  stop_all();
  return !gone_ && threads_.contains(pid_) && thread.stopped && !thread.pending;
}

uint64_t RankReplica::steps(uint64_t most, const Stops& stops, Stop& stop) {
  set_breakpoints({});
  set_watches(stops.watches);
  stop = {};
  stop.kind = Stop::kStep;
  constexpr auto kRip = offsetof(user, regs) + offsetof(user_regs_struct, rip);
  auto peek = [&](size_t at) { return static_cast<uint64_t>(::ptrace(PTRACE_PEEKUSER, pid_, at, nullptr)); };
  uint64_t pc = peek(kRip);
  for (uint64_t n = 1; n <= most; n++) {
    auto code = get<uint16_t>(pc);
    Thread& thread = threads_[pid_];
    int status = 0;
    // A system call may sleep, write or end the program; pushed flags have that of the step.
    bool plain = code != kSystemCall && (code & 0xff) != kPushFlags && !thread.pending && thread.stopped;
    if (plain) {
      resume(pid_, thread, PTRACE_SINGLESTEP);
      if (!wait_for(pid_, status)) return stop.kind = Stop::kGone, n;
      thread.stopped = true;
      plain = WIFSTOPPED(status) && status >> 8 == SIGTRAP;
      if (!plain) thread.pending = status;
    }
    uint64_t hits = plain && !stops.watches.empty() ? Tracee(pid_).debug_register(6) & 15 : 0;
    if (!plain) {
      stop = step(0);
      if (stop.kind != Stop::kStep && stop.kind != Stop::kWatch) return n;
    } else if (hits != 0) {
      Tracee(pid_).set_debug_register(6, 0);
      stop.kind = Stop::kWatch;
      stop.hits = static_cast<uint32_t>(hits);
      int i = 0;
      for (const Watch& watch : stops.watches)
        if (hits >> i++ & 1) stop.address = watch.address;
    }
    pc = peek(kRip);
    stop.slot = 0;
    if (stop.kind == Stop::kWatch) return n;
    if (stops.breakpoints.contains(pc)) {
      stop.kind = Stop::kBreakpoint;
      stop.address = pc;
      return n;
    }
  }
  return most;
}

// Files have a place, which copies must not share; stdout and stderr are everybody's.
bool RankReplica::reopen_files(RankReplica& child) const {
  std::error_code gone;
  std::filesystem::directory_iterator it(fmt::format("/proc/{}/fd", pid_), gone), end;
  for (; !gone && it != end; it.increment(gone)) {
    int fd = ::atoi(it->path().filename().c_str());
    struct stat info;
    std::error_code unknown;
    std::string path = std::filesystem::read_symlink(it->path(), unknown).string();
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO || path.starts_with("/memfd:anaphora-")) continue;
    if (::stat(it->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    unsigned long place = 0, flags = 0;
    std::ifstream in(fmt::format("/proc/{}/fdinfo/{}", pid_, fd));
    std::string line;
    if (!std::getline(in, line) || ::sscanf(line.c_str(), "pos: %lu", &place) != 1) continue;
    if (!std::getline(in, line) || ::sscanf(line.c_str(), "flags: %lo", &flags) != 1) continue;
    std::string name = fmt::format("/proc/self/fd/{}", fd);
    child.poke(scratch_, name.c_str(), name.size() + 1);
    long again = -1;
    auto number = static_cast<uint64_t>(fd);
    uint64_t plain = flags & ~static_cast<uint64_t>(O_CLOEXEC);
    if (!child.call(child.pid_, SYS_openat, {static_cast<uint64_t>(AT_FDCWD), scratch_, plain, 0}, &again))
      continue;  // it may not be opened any more: then it is shared
    auto opened = static_cast<uint64_t>(again);
    if (!child.call(child.pid_, SYS_lseek, {opened, place, SEEK_SET}) ||
        !child.call(child.pid_, SYS_dup3, {opened, number, flags & O_CLOEXEC}) || !child.call(child.pid_, SYS_close, {opened}))
      return false;
  }
  return true;
}

std::unique_ptr<Replica> RankReplica::copy() { return copy_rank(); }

std::unique_ptr<RankReplica> RankReplica::copy_rank() {
  stop_all();
  std::map<uint32_t, ThreadState> states;
  std::map<uint32_t, pid_t> tids;
  for (auto& [tid, thread] : threads_) {
    identify(tid, thread);
    ThreadState& state = states[thread.slot];
    tids[thread.slot] = tid;
    if (thread.pending || !Tracee(tid).save(state)) return nullptr;
    if (tid_words_.contains(thread.slot)) continue;
    bool told = call(tid, SYS_prctl, {PR_GET_TID_ADDRESS, scratch_});
    if (told) tid_words_[thread.slot] = get<uint64_t>(scratch_);
    if (!Tracee(tid).restore(state) || !told) return nullptr;
  }
  if (!states.contains(0)) return nullptr;
  set_breakpoints({});
  ::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, kOptions | PTRACE_O_TRACEFORK);
  pid_t pid = 0;
  // The tool is the parent of them all, so that the program never waits for one.
  bool made = call(pid_, SYS_clone, {SIGCHLD | CLONE_PARENT | CLONE_CHILD_CLEARTID, 0, 0, tid_words_[0], 0}, nullptr, &pid);
  ::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, kOptions);
  Tracee(pid_).restore(states.at(0));
  int status;
  if (!made || pid == 0 || !wait_for(pid, status) || !WIFSTOPPED(status)) return nullptr;
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, kOptions);
  std::unique_ptr<RankReplica> child(new RankReplica(pid, interrupter_));
  child->system_call_ = system_call_, child->scratch_ = scratch_, child->page_ = page_;
  child->call_place_ = call_place_, child->start_place_ = start_place_;
  child->loader_begin_ = loader_begin_, child->loader_end_ = loader_end_;
  child->tid_words_ = tid_words_;
  child->outputs_ = outputs_, child->shown_ = shown_;
  child->threads_[pid].slot = 0;
  if (!reopen_files(*child)) return nullptr;
  for (auto& [slot, state] : states) {
    if (slot == 0) continue;
    pid_t tid = 0;
    if (!child->call(pid, SYS_clone, {kThreadFlags, scratch_ + kScratchStack, 0, tid_words_[slot], state.registers.fs_base},
                     nullptr, &tid) || tid == 0 || !wait_for(tid, status) || !WIFSTOPPED(status))
      return nullptr;
    child->threads_[tid].slot = slot;
    if (state.robust_list != 0 && !child->call(tid, SYS_set_robust_list, {state.robust_list, state.robust_bytes})) return nullptr;
    if (!Tracee(tid).restore(state)) return nullptr;
  }
  return Tracee(pid).restore(states.at(0)) ? std::move(child) : nullptr;
}

}  // namespace ana::debug
