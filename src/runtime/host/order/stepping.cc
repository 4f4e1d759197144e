#include "runtime/host/order/stepping.h"

#include <ucontext.h>

#include "runtime/host/kernel_sigaction.h"
#include "runtime/host/order/references.h"
#include "runtime/host_api.h"
#include "trace/schedule.h"
#include "trace/step_table.h"

namespace ana {

bool g_steps;

namespace {

constexpr uint64_t kTrapFlag = 1 << 8;
constexpr uint32_t kMostStepsOutside = 64;
extern "C" void ana_step_return();

const StepTable* g_table;
const uint32_t* g_index;
const StepOperand* g_operands;
const StepPlace* g_places;

// Whether somebody wants to know of accesses to these bytes: all, or those of the table's places.
bool is_wanted(const AnaRange& range) {
  uint64_t first = range.first & ~ANA_RANGE_WRITE;
  if (!g_table->place_count) return true;
  uint64_t low = 0, high = g_table->place_count;  // the first place that ends at `first` or behind it is in [low, high]
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (g_places[middle].last < first) low = middle + 1;
    else high = middle;
  }
  return low < g_table->place_count && g_places[low].first <= range.last;
}

// Whether a function of the host begins there that is called from outside: those of the table.
bool is_entry(uint64_t pc) {
  auto* api = reinterpret_cast<const HostApi*>(layout::kHostApi);
  auto* entry = reinterpret_cast<const uint64_t*>(&api->check);
  auto* last = reinterpret_cast<const uint64_t*>(&api->is_loader);
  for (; entry <= last; ++entry)
    if (*entry == pc) return true;
  return false;
}

// The host itself is not followed: its function returns to ana_step_return, which goes back to where it was called from,
// and follows the thread again. One at a time, if functions called by the host call it again.
bool skip_host(Slot& slot, uint64_t* registers) {
  if (slot.shared->step_return || !is_entry(registers[REG_RIP])) return false;
  auto* return_address = reinterpret_cast<uint64_t*>(registers[REG_RSP]);
  slot.shared->step_return = *return_address;
  *return_address = reinterpret_cast<uint64_t>(ana_step_return);
  // What was checked holds until the code calls anything but a poll; a check says itself what comes after it.
  auto* api = reinterpret_cast<const HostApi*>(layout::kHostApi);
  bool polls = registers[REG_RIP] == reinterpret_cast<uint64_t>(api->poll) ||
               registers[REG_RIP] == reinterpret_cast<uint64_t>(api->library_poll);
  if (g_table->place_count && !polls) slot.shared->follows = 0;
  registers[REG_EFL] &= ~kTrapFlag;
  return true;
}

uint64_t thread_pointer() {
  uint64_t at;
  asm("movq %%fs:0, %0" : "=r"(at));
  return at;
}

// Which of the words of `bytes` bytes that follow (or precede) the address has the bit.
int64_t word_of_bit(uint64_t value, uint32_t bytes) {
  int64_t bit = bytes == 2 ? static_cast<int16_t>(value) : bytes == 4 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
  uint32_t shift = bytes == 2 ? 4 : bytes == 4 ? 5 : 6;
  return (bit >> shift) * static_cast<int64_t>(bytes);
}

void tell_operand(Slot& slot, const StepOperand& operand, const uint64_t* registers) {
  constexpr uint32_t kUpdate = ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ATOMIC | ANA_SITE_ACQUIRE | ANA_SITE_RELEASE;
  AnaRange range = range_of(operand, registers);
  if (!is_wanted(range)) return;
  if ((range.first & ~ANA_RANGE_WRITE) == slot.atomic_at) {  // the check has told
    slot.atomic_at = 0;
    return;
  }
  uint32_t plain = operand.writes ? ANA_SITE_WRITE | (operand.reads ? ANA_SITE_READ : 0) : ANA_SITE_READ;
  tell_access(slot, range, registers[REG_RIP], operand.locked ? kUpdate : plain);
}

void on_step(int, siginfo_t*, void* context) {
  auto* registers = reinterpret_cast<uint64_t*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs);
  registers[REG_EFL] |= kTrapFlag;  // whatever the last instruction did to it
  uint64_t pc = registers[REG_RIP];
  // The rest of a check, which may be long if it took an edge, is no part of what it is for.
  bool in_host = pc >= layout::kHost && pc < layout::kHost + layout::kHostBytes;
  if (in_host && (skip_host(self(), registers) || g_table->place_count)) return;
  if (pc < g_table->begin || pc >= g_table->end) {
    // Of library functions only those of libm, which are short, leave in force what was checked before the call.
    if (g_table->place_count && ++self().steps_outside > kMostStepsOutside) registers[REG_EFL] &= ~kTrapFlag;
    return;
  }
  self().steps_outside = 0;
  uint32_t what = g_index[pc - g_table->begin];
  if (what == kStepPlain) return;
  if (what < kStepFirstOperand)
    fatal(ReportKind::kUnsupportedFeature, "an instruction whose references cannot be told", pc, 0, pc);
  for (const StepOperand* operand = g_operands + (what - kStepFirstOperand);; ++operand) {
    if (!operand->repeated || registers[REG_RCX]) tell_operand(self(), *operand, registers);
    if (operand->last) return;
  }
}

}  // namespace

AnaRange range_of(const StepOperand& operand, const uint64_t* registers) {
  uint64_t at = static_cast<uint64_t>(operand.displacement);
  if (operand.base != kNoRegister) at += registers[operand.base];
  if (operand.index != kNoRegister) at += registers[operand.index] * operand.scale;
  if (operand.bit != kNoRegister) at += static_cast<uint64_t>(word_of_bit(registers[operand.bit], operand.bytes));
  if (operand.thread_local_) at += thread_pointer();
  return ana_range(at, at + operand.bytes - 1, operand.writes);
}

void stepping_init() {
  auto* header = reinterpret_cast<const ScheduleHeader*>(layout::kSchedule);
  if (!replaying() || !header->steps) return;
  auto* base = reinterpret_cast<const char*>(header) + header->steps;
  g_table = reinterpret_cast<const StepTable*>(base);
  g_index = reinterpret_cast<const uint32_t*>(base + sizeof(StepTable));
  g_operands = reinterpret_cast<const StepOperand*>(base + g_table->operands);
  g_places = reinterpret_cast<const StepPlace*>(base + g_table->places);
  g_steps = true;
  install_handler(SIGTRAP, on_step);
}

void step_from_here(Slot& slot, uint32_t ranges, uint64_t site) {
  bool told = tells_synchronisation() && (flags_of(site) & ANA_SITE_ATOMIC);
  slot.atomic_at = told ? slot.shared->ranges[0].first & ~ANA_RANGE_WRITE : 0;
  bool wanted = false;
  for (uint32_t i = 0; i < ranges && !wanted; ++i) wanted = is_wanted(slot.shared->ranges[i]);
  // Sites lie in the file of their code, at most so far from it.
  constexpr uint64_t kReach = 1ull << 31;
  if (wanted && (site + kReach < g_table->begin || site > g_table->end + kReach))
    fatal(ReportKind::kNotFollowed, "", 0, 0, site);
  slot.shared->follows = wanted;
  slot.steps_outside = 0;
  if (!wanted || slot.shared->step_return) return;  // the second: it is followed already
  asm volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" ::"i"(kTrapFlag) : "memory", "cc");
}

}  // namespace ana
