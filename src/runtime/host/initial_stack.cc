#include "runtime/host/initial_stack.h"

#include <linux/auxvec.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/host/slot.h"
#include "runtime/host_api.h"
#include "runtime/host/stream.h"

namespace ana {
namespace {

constexpr uint64_t kDefaultBytes = 8 << 20;
constexpr uint64_t kRseqFeatureSize = 27, kRseqAlign = 28;

uint64_t stack_limit() {
  rlimit limit{};
  raw(SYS_getrlimit, RLIMIT_STACK, &limit);
  uint64_t bytes = limit.rlim_cur == RLIM_INFINITY ? layout::kMainStackBytes : align_up(limit.rlim_cur, 4096);
  if (bytes > layout::kMainStackBytes) bytes = layout::kMainStackBytes;
  return bytes < 1 << 16 ? kDefaultBytes : bytes;
}

uint64_t stack_top() { return layout::kMainStack + layout::kMainStackBytes; }

void map_stack(uint64_t bytes) {
  long r = raw(SYS_mmap, stack_top() - bytes, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (is_error(r)) fatal(ReportKind::kCannotStart, "the main stack's address is taken", -r);
}

// Puts things on the stack from its top downwards.
class Pusher {
 public:
  explicit Pusher(uint64_t top) : at_(top) {}
  uint64_t at() const { return at_; }
  uint64_t push(const void* data, uint64_t size) {
    at_ -= size;
    memcpy(reinterpret_cast<void*>(at_), data, size);
    return at_;
  }
  uint64_t push_text(const char* text) { return push(text, length(text) + 1); }
  void align(uint64_t to) { at_ = align_down(at_, to); }

 private:
  uint64_t at_;
};

uint64_t count_strings(char** strings) {
  uint64_t n = 0;
  while (strings[n]) ++n;
  return n;
}

// What the program is told about the machine: no vDSO (time is an input), no rseq (the CPU number is one).
bool is_hidden(uint64_t type) {
  return type == AT_SYSINFO_EHDR || type == AT_SYSINFO || type == kRseqFeatureSize || type == kRseqAlign;
}

struct AuxValues {
  uint64_t random, path, platform;
};

uint64_t* write_aux(uint64_t* to, const Elf64_auxv_t* from, const AuxValues& values, const ElfImage& program,
                    uint64_t loader_base) {
  for (; from->a_type != AT_NULL; ++from) {
    uint64_t value = from->a_un.a_val;
    if (is_hidden(from->a_type)) continue;
    switch (from->a_type) {
      case AT_RANDOM: value = values.random; break;
      case AT_EXECFN: value = values.path; break;
      case AT_PLATFORM: value = values.platform; break;
      case AT_PHDR: value = program.headers; break;
      case AT_PHNUM: value = program.header_count; break;
      case AT_PHENT: value = sizeof(Elf64_Phdr); break;
      case AT_BASE: value = loader_base; break;
      case AT_ENTRY: value = program.entry; break;
    }
    *to++ = from->a_type;
    *to++ = value;
  }
  *to++ = kAuxHostApi;
  *to++ = layout::kHostApi;
  *to++ = AT_NULL;
  *to++ = 0;
  return to;
}

}  // namespace

InitialStack build_stack(const StartArguments& arguments, const Elf64_auxv_t* kernel_aux, const ElfImage& program,
                         uint64_t loader_base, const char* path) {
  InitialStack stack{};
  stack.bytes = stack_limit();
  map_stack(stack.bytes);
  Pusher pusher(stack_top() - 64);
  uint64_t environment_count = count_strings(arguments.environment), aux_count = 0;
  const uint8_t* random = nullptr;
  for (auto* a = kernel_aux; a->a_type != AT_NULL; ++a, ++aux_count)
    if (a->a_type == AT_RANDOM) random = reinterpret_cast<const uint8_t*>(a->a_un.a_val);

  // Strings first; their addresses go through a table at the bottom of the stack, which is empty yet.
  auto* table = reinterpret_cast<uint64_t*>(stack_top() - stack.bytes);
  uint64_t total = arguments.count + environment_count;
  if (total * 16 > stack.bytes / 4) fatal(ReportKind::kCannotStart, "too many arguments", 0);
  stack.environment_end = pusher.at();
  for (uint64_t i = environment_count; i--;) table[arguments.count + i] = pusher.push_text(arguments.environment[i]);
  stack.environment = stack.arguments_end = pusher.at();
  for (uint64_t i = arguments.count; i--;) table[i] = pusher.push_text(arguments.values[i]);
  stack.arguments = pusher.at();
  AuxValues values{};
  values.path = pusher.push_text(path);
  values.platform = pusher.push_text("x86_64");
  pusher.align(16);
  uint8_t zeros[16]{};
  values.random = pusher.push(random ? random : zeros, 16);

  uint64_t words = 1 + arguments.count + 1 + environment_count + 1 + 2 * (aux_count + 2);
  stack.pointer = align_down(pusher.at() - 8 * words, 64);
  auto* to = reinterpret_cast<uint64_t*>(stack.pointer);
  *to++ = arguments.count;
  for (uint64_t i = 0; i < arguments.count; ++i) *to++ = table[i];
  *to++ = 0;
  for (uint64_t i = 0; i < environment_count; ++i) *to++ = table[arguments.count + i];
  *to++ = 0;
  stack.aux = reinterpret_cast<uint64_t>(to);
  to = write_aux(to, kernel_aux, values, program, loader_base);
  stack.aux_bytes = reinterpret_cast<uint64_t>(to) - stack.aux;
  memset(table, 0, 8 * total);

  Slot& slot = self();
  put_value(slot, kOpStackHeader, 0, &stack, sizeof(stack));
  put_value(slot, kOpInitialStack, static_cast<int64_t>(stack.pointer), reinterpret_cast<void*>(stack.pointer),
            static_cast<uint32_t>(stack_top() - stack.pointer));
  return stack;
}

InitialStack load_stack() {
  InitialStack stack{};
  Slot& slot = self();
  get_value(slot, kOpStackHeader, &stack, sizeof(stack));
  map_stack(stack.bytes);
  get_value(slot, kOpInitialStack, reinterpret_cast<void*>(stack.pointer), static_cast<uint32_t>(stack_top() - stack.pointer));
  return stack;
}

// Best effort: without it ps shows the host's name, nothing else is lost.
void tell_kernel(const InitialStack& stack, const ElfImage& program, const char* path) {
  prctl_mm_map map{};
  map.start_code = program.begin;
  map.end_code = program.begin + 4096;
  map.start_data = program.end - 4096;
  map.end_data = program.end;
  map.start_brk = map.brk = layout::kBreak;
  map.start_stack = stack.pointer;
  map.arg_start = stack.arguments;
  map.arg_end = stack.arguments_end;
  map.env_start = stack.environment;
  map.env_end = stack.environment_end;
  map.auxv = reinterpret_cast<__u64*>(stack.aux);
  map.auxv_size = static_cast<__u32>(stack.aux_bytes);
  map.exe_fd = static_cast<__u32>(-1);
  raw(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0);
  const char* name = path;
  for (const char* p = path; *p; ++p)
    if (*p == '/') name = p + 1;
  char text[16];
  copy_text(text, name, sizeof(text));
  raw(SYS_prctl, PR_SET_NAME, text);
}

}  // namespace ana
