#include "runtime/host/start.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/auxvec.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/api.h"
#include "runtime/host/crash.h"
#include "runtime/host/initial_stack.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/retracing.h"
#include "runtime/host/order/serial.h"
#include "runtime/host/order/stepping.h"
#include "runtime/host/order/tracing.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/outside.h"
#include "runtime/host/relay.h"
#include "runtime/host/signals/signals.h"
#include "runtime/host/slot.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/syscalls/patches.h"
#include "runtime/host/threads.h"
#include "runtime/host/vdso.h"

namespace ana {

SessionHeader* g_session;
Mode g_mode;
int g_session_fd = -1;
uint32_t g_processors = 1;

namespace {

constexpr int kExitByReport = 125;

// For the linker (extent.ld).
[[gnu::used]] void define_limit() {
  asm(".globl ana_host_limit\n\t.set ana_host_limit, %c0" : : "i"(layout::kHost + layout::kHostBytes));
}

char g_path[kMaxPath];
struct Region {
  uint64_t begin, end;
} g_loader, g_libc;

struct StartPoint {
  uint64_t entry, stack;
} g_start;

long number(const char* text) {
  if (text[0] == '-') return -1;
  long value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return value;
}

[[noreturn]] void refuse(const char* why) {
  raw(SYS_write, 2, why, length(why));
  for (;;) raw(SYS_exit_group, kExitByReport);
}

void map_session(long session, long schedule) {
  g_session_fd = static_cast<int>(session);
  uint32_t debugged = 0;
  raw(SYS_pread64, session, &debugged, sizeof(debugged), offsetof(SessionHeader, debug.enabled));
  int flags = (debugged ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED_NOREPLACE;
  long r = raw(SYS_mmap, layout::kSession, kSlotsOffset, PROT_READ | PROT_WRITE, flags, session, 0);
  if (is_error(r)) refuse("anaphora-host: started without a session; use 'anaphora record' or 'anaphora replay'\n");
  g_session = reinterpret_cast<SessionHeader*>(layout::kSession);
  raw(SYS_fcntl, session, F_SETFD, FD_CLOEXEC);  // not for programs that this one starts
  if (g_session->magic != kSessionMagic || g_session->version != kStreamVersion)
    refuse("anaphora-host: the session is of another version; reinstall Anaphora\n");
  relay_init();
  if (!replaying()) return;
  ScheduleHeader header{};
  raw(SYS_pread64, schedule, &header, sizeof(header), 0);
  if (header.magic != kScheduleMagic) refuse("anaphora-host: no schedule to replay\n");
  r = raw(SYS_mmap, layout::kSchedule, header.bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, schedule, 0);
  if (is_error(r)) fatal(ReportKind::kCannotStart, "no memory for the schedule", -r);
}

void map_region(uint64_t at, uint64_t bytes) {
  long r = raw(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (is_error(r)) fatal(ReportKind::kCannotStart, "not enough address space (see ulimit -v)", -r);
  raw(SYS_madvise, at, bytes, MADV_DONTDUMP);
}

// Roughly: tenure need not be exact.
uint64_t cycles_in_millisecond() {
  timespec before{}, after{};
  raw(SYS_clock_gettime, CLOCK_MONOTONIC, &before);
  uint64_t start = timestamp();
  uint64_t elapsed = 0;
  do {
    raw(SYS_clock_gettime, CLOCK_MONOTONIC, &after);
    elapsed = (after.tv_sec - before.tv_sec) * 1'000'000'000ull + after.tv_nsec - before.tv_nsec;
  } while (elapsed < 20'000);
  return 1'000'000 * (timestamp() - start) / elapsed;
}

void count_processors() {
  uint64_t mask[16]{};
  raw(SYS_sched_getaffinity, 0, sizeof(mask), mask);
  g_processors = 0;
  for (uint64_t word : mask) g_processors += static_cast<uint32_t>(__builtin_popcountll(word));
}

// The program's absolute path, as the kernel knows the file.
void resolve_path(const char* given) {
  long fd = raw(SYS_open, given, O_PATH | O_CLOEXEC);
  if (is_error(fd)) fatal(ReportKind::kCannotStart, given, -fd);
  path_of(fd, g_path, sizeof(g_path));
  raw(SYS_close, fd);
  if (!g_path[0]) fatal(ReportKind::kCannotStart, given, ENOENT);
}

uint64_t vdso_of(const Elf64_auxv_t* aux) {
  for (; aux->a_type != AT_NULL; ++aux)
    if (aux->a_type == AT_SYSINFO_EHDR) return aux->a_un.a_val;
  return 0;
}

void load_program(StartArguments arguments, const Elf64_auxv_t* aux) {
  Slot& slot = self();
  if (recording()) {
    resolve_path(g_session->text[0] ? g_session->text : arguments.values[0]);
    put_value(slot, kOpProgram, 0, g_path, static_cast<uint32_t>(length(g_path) + 1));
    uint64_t ordinal = 0;
    slot.shared->status.tid = static_cast<uint32_t>(raw(SYS_gettid));
    put_value(slot, kOpThreadStart, slot.shared->status.tid, &ordinal, sizeof(ordinal));
  } else {
    get_value(slot, kOpProgram, g_path, sizeof(g_path));
    get_value(slot, kOpThreadStart);
  }
  signals_init();
  auto choose = [](const char* packed, const char* recorded) { return packed[0] ? packed : recorded; };
  ElfImage program = map_elf_image(choose(g_session->program_file, g_path), layout::kProgram), loader{};
  if (!translated_install()) patch_text(program.text_begin, program.text_end, PROT_READ | PROT_EXEC);
  g_start.entry = program.entry;
  if (program.interpreter[0]) {
    loader = map_elf_image(choose(g_session->interpreter_file, program.interpreter), layout::kInterpreter);
    patch_text(loader.text_begin, loader.text_end, PROT_READ | PROT_EXEC);
    g_loader = {loader.begin, loader.end};
    g_start.entry = loader.entry;
  }
  outside_hide(arguments.environment);
  InitialStack stack = recording() ? build_stack(arguments, aux, program, loader.base, g_path) : load_stack();
  tell_kernel(stack, program, g_path);
  vdso_init(vdso_of(aux));
  outside_start(arguments.environment, aux, program, g_path);
  g_start.stack = stack.pointer;
}

}  // namespace

void path_of(long fd, char* path, uint64_t size) {
  char link[64] = "/proc/self/fd/";
  char digits[20];
  int n = 0, at = 14;
  do digits[n++] = static_cast<char>('0' + fd % 10);
  while (fd /= 10);
  while (n) link[at++] = digits[--n];
  link[at] = 0;
  long r = raw(SYS_readlink, link, path, size - 1);
  path[r > 0 ? r : 0] = 0;
}

const char* program_path() { return g_path; }
bool is_loader_code(uint64_t pc) { return pc >= g_loader.begin && pc < g_loader.end; }
bool is_system_code(uint64_t pc) { return is_loader_code(pc) || (pc >= g_libc.begin && pc < g_libc.end); }

void note_elf_mapping(const char* path, uint64_t at, uint64_t bytes) {
  const char* name = path;
  for (const char* p = path; *p; ++p)
    if (*p == '/') name = p + 1;
  if (!equal(name, "libc.so.6")) return;
  if (!g_libc.begin || at < g_libc.begin) g_libc.begin = at;
  if (at + bytes > g_libc.end) g_libc.end = at + bytes;
}

void fatal(ReportKind kind, const char* text, uint64_t a, uint64_t b, uint64_t site) {
  static SpinLock once;
  if (!once.try_lock()) park_forever();
  Report& report = g_session->report;
  SlotShared* shared = g_slots[0].shared ? self().shared : nullptr;
  report.slot = shared ? shared->slot : 0;
  report.count = shared ? shared->count : 0;
  report.site = site;
  report.a = a;
  report.b = b;
  copy_text(report.text, text, sizeof(report.text));
  __atomic_store_n(&report.kind, static_cast<uint32_t>(kind), __ATOMIC_RELEASE);
  if (debugged()) debug_trap(DebugTrap::kEnd);
  for (;;) raw(SYS_exit_group, kExitByReport);
}

void park_forever() {
  if (g_slots[0].shared) serial_park(self());
  for (;;) {
    timespec hour{3600, 0};
    raw(SYS_nanosleep, &hour, nullptr);
  }
}

}  // namespace ana

// argv: anaphora-host record|replay SESSION_FD SCHEDULE_FD [-- program arguments...], or anaphora-host syscalls
extern "C" __attribute__((used)) void* ana_host_main(uint64_t* stack) {
  using namespace ana;
  uint64_t count = stack[0];
  auto** values = reinterpret_cast<char**>(stack + 1);
  auto** environment = values + count + 1;
  uint64_t n = 0;
  while (environment[n]) ++n;
  auto* aux = reinterpret_cast<Elf64_auxv_t*>(environment + n + 1);
  if (count == 2 && equal(values[1], "syscalls")) {
    list_syscalls();
    for (;;) raw(SYS_exit_group, 0);
  }
  if (count < 4 || !(equal(values[1], "record") || equal(values[1], "replay")))
    refuse("anaphora-host is started by 'anaphora record' and 'anaphora replay', not by hand\n");
  g_mode = equal(values[1], "record") ? Mode::kRecord : Mode::kReplay;
  map_session(number(values[2]), number(values[3]));
  if (recording() && count < 6) refuse("anaphora-host: no program given\n");

  map_region(layout::kLines, layout::kLinesBytes + layout::kPagesBytes);
  map_region(layout::kBreak, layout::kBreakBytes);
  count_processors();
  tracing_init();
  retracing_init();
  stepping_init();
  translated_init();
  threads_init();
  serial_init();
  dispatch_init();
  crash_init();
  api_init();
  if (recording()) set_tenure(g_session->tenure_ns, cycles_in_millisecond());
  thread_identify(g_slots[0]);
  load_program({count - 5, values + 5, environment}, aux);
  thread_arm(g_slots[0]);
  if (debugged()) debug_trap(DebugTrap::kStart, g_start.entry);
  return &g_start;
}
