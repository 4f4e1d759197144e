// anaphora doctor: what this machine allows, and what to do about what it does not.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/syscalls_report.h"
#include "trace/host_process.h"
#include "trace/machine.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

enum class Verdict { kGood, kWarning, kBad };

struct Finding {
  const char* name;
  Verdict verdict;
  std::string text;  // what is, and what to do about it
};

// Switched on in a child, because it cannot be asked for otherwise.
bool has_syscall_dispatch() {
  pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    static char allow = 0;
    ::_exit(::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &allow) == 0 ? 0 : 1);
  }
  int status = 1;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

Finding check_dispatch() {
  if (has_syscall_dispatch()) return {"system calls", Verdict::kGood, "the kernel has Syscall User Dispatch"};
  return {
      "system calls", Verdict::kBad,
      "the kernel lacks Syscall User Dispatch, or a sandbox forbids it: use Linux 5.11 or newer, and allow prctl(2)"};
}

Finding check_memory() {
  // The tables of the runtime are reserved in full and touched as needed.
  constexpr size_t kReserved = size_t{1} << 42;
  void* at = ::mmap(nullptr, kReserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) {
    ::munmap(at, kReserved);
    return {"memory", Verdict::kGood, "large address ranges can be reserved"};
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    return {"memory", Verdict::kBad, "address space is limited: run `ulimit -v unlimited` first"};
  }
  int mode = -1;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> mode;
  if (mode == 2)
    return {"memory", Verdict::kBad, "overcommit is forbidden: run `sysctl vm.overcommit_memory=0` as root"};
  return {"memory", Verdict::kBad, fmt::format("4 TiB of address space cannot be reserved: {}", strerror(errno))};
}

Finding check_processor() {
  Machine machine = this_machine();
  auto has = [&](const char* f) {
    return std::find(machine.features.begin(), machine.features.end(), f) != machine.features.end();
  };
  if (!has("fsgsbase"))
    return {"processor", Verdict::kBad, machine.cpu + " lacks fsgsbase: use a newer processor or kernel"};
  if (machine.cores < 2) {
    return {"processor", Verdict::kWarning, machine.cpu + ": one core; recording works, but threads take turns anyway"};
  }
  return {"processor", Verdict::kGood, fmt::format("{}, {} cores", machine.cpu, machine.cores)};
}

bool can_run(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

// Where anaphora-cc looks, too.
Finding check_compiler() {
  if (const char* chosen = ::getenv("ANAPHORA_CLANG"); chosen != nullptr && strchr(chosen, '/') != nullptr) {
    if (can_run(chosen)) return {"compiler", Verdict::kGood, std::string(chosen) + " (ANAPHORA_CLANG)"};
    return {"compiler", Verdict::kWarning, std::string(chosen) + " cannot be run: correct or unset ANAPHORA_CLANG"};
  }
  const char* path = ::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  for (size_t at = 0; at <= rest.size();) {
    size_t end = std::min(rest.find(':', at), rest.size());
    std::string candidate = rest.substr(at, end - at) + "/clang-19";
    if (can_run(candidate)) return {"compiler", Verdict::kGood, candidate};
    at = end + 1;
  }
  constexpr const char* kUsualPlace = "/usr/lib/llvm-19/bin/clang";
  if (can_run(kUsualPlace)) return {"compiler", Verdict::kGood, kUsualPlace};
  return {"compiler", Verdict::kWarning,
          "clang 19 was not found; anaphora-cc needs it (on Debian: `apt install clang-19`), record and replay do not"};
}

Finding check_host() {
  auto host = find_host();
  if (!host) return {"runtime", Verdict::kBad, host.error().text};
  return {"runtime", Verdict::kGood, *host};
}

Finding check_store() {
  auto store = TraceStore::standard();
  if (!store) return {"traces", Verdict::kBad, store.error().text};
  if (Status s = store->make_root(); !s) return {"traces", Verdict::kBad, s.error().text + "; set ANAPHORA_TRACE_DIR"};
  if (::access(store->root().c_str(), W_OK) != 0) {
    return {"traces", Verdict::kBad, store->root() + " cannot be written; set ANAPHORA_TRACE_DIR"};
  }
  struct statvfs info {};
  uint64_t free_bytes = ::statvfs(store->root().c_str(), &info) == 0 ? uint64_t{info.f_bavail} * info.f_frsize : 0;
  constexpr uint64_t kLittle = uint64_t{1} << 30;
  std::string text = fmt::format("{}, {} free", store->root(), human_bytes(free_bytes));
  if (free_bytes < kLittle) return {"traces", Verdict::kWarning, text + ": remove old traces with `anaphora rm`"};
  return {"traces", Verdict::kGood, text};
}

int run(bool json) {
  Finding findings[] = {check_dispatch(), check_memory(),   check_processor(),
                        check_host(),     check_compiler(), check_store()};
  constexpr const char* kMarks[] = {"ok", "warning", "problem"};
  nlohmann::json all = nlohmann::json::array();
  bool bad = false;
  for (const Finding& f : findings) {
    const char* mark = kMarks[static_cast<int>(f.verdict)];
    bad |= f.verdict == Verdict::kBad;
    all.push_back({{"check", f.name}, {"verdict", mark}, {"text", f.text}});
    if (!json) fmt::print("{:<8} {:<13} {}\n", mark, f.name, f.text);
  }
  if (json) print_json(all);
  return bad ? kExitFailed : 0;
}

}  // namespace

Command add_doctor(CLI::App& root) {
  CLI::App* app = root.add_subcommand("doctor", "Check whether this machine can record and replay");
  auto json = std::make_shared<bool>(false);
  auto syscalls = std::make_shared<bool>(false);
  app->add_flag("--syscalls", *syscalls, "List every system call, and what is done about it");
  app->add_flag("--json", *json, "As JSON");
  return {app, [json, syscalls] { return *syscalls ? report_syscalls(*json) : run(*json); }};
}

}  // namespace ana
