// What a translation is planned by, over code that stands here as assembly: which registers are needed, which frames are
// private, which accesses are asked for together, which instructions are the accesses of checks.
#include <gtest/gtest.h>

#include "anaphora/runtime_abi.h"
#include "trace/access_runs.h"
#include "trace/atomic_checks.h"
#include "trace/cold_call.h"
#include "trace/elf_file.h"
#include "trace/liveness.h"
#include "trace/make_step_table.h"
#include "trace/private_frames.h"

asm(R"(
  .section ana_runtime,"ax",@progbits
  ud2
  .macro place name
  .globl \name
  .hidden \name
\name:
  .endm
  .macro check site
  call __ana_check
  .byte 0x0f, 0x1f, 0x05                      # nopl site(%rip)
  .long \site - . - 4
  .endm
  .macro site name, flags
\name: .long 0, 0, 1, \flags + (1 << 22) + (1 << 29), 0, 0, 0, 0
  .endm

  .data
  site relaxed_load, 0x50000
  site release_store, 0x160000
  site acquire_update, 0xf0000
  .text
  .type __ana_check, @function
__ana_check: ret
  .size __ana_check, . - __ana_check

  place live_begin
  cmp %rsi, %rdi
  place live_compared
  mov (%rdi), %rax
  je 1f
  place live_not_equal
  xor %eax, %eax
1: call __ana_check
  place live_called
  jmp *%rcx
  place live_end

  .type frame_private, @function
  place frame_private
  sub $24, %rsp
  mov %rdi, 8(%rsp)
  add $24, %rsp
  ret
  .size frame_private, . - frame_private
  .type frame_taken, @function
  place frame_taken
  lea 8(%rsp), %rdi
  ret
  .size frame_taken, . - frame_taken
  .type frame_copied, @function
  place frame_copied
  mov %rsp, %rbp
  ret
  .size frame_copied, . - frame_copied
  .type frame_entered, @function
  place frame_entered
  nop
2: mov 8(%rsp), %rax
  ret
  .size frame_entered, . - frame_entered
  .type frame_leaving, @function
  place frame_leaving
  jmp 2b
  .size frame_leaving, . - frame_leaving
  place frame_end

  place run_begin
  mov (%rdi), %rax
  mov 8(%rdi), %rcx
  mov %rcx, 16(%rdi)
  mov (%rsi), %rdi
  place run_changed
  mov 24(%rdi), %r8
  ret
  place run_of_update
  mov 32(%rdx), %rax
  mov %rax, 32(%rdx)
  ret
  place run_of_loop
  mov (%rdi), %rax
  place run_target
  mov 8(%rdi), %rcx
  jmp run_target
  place run_end

  place check_begin
  check relaxed_load
  place check_of_load
  nopl (%rdi, %rsi, 4)
  test $3, %al
  place check_reload
  mov 8(%rsp), %r11
  place check_load
  mov (%rdi, %rsi, 4), %eax
  ret
  check relaxed_load
  place check_of_changed
  nopl (%rdi, %rsi, 4)
  test $3, %al
  mov 8(%rsp), %rsi
  place check_changed
  mov (%rdi, %rsi, 4), %eax
  ret
  check relaxed_load
  place check_of_size
  nopl (%rdi, %rsi, 4)
  test $3, %al
  place check_size
  mov (%rdi, %rsi, 4), %rax
  ret
  check release_store
  place check_of_store
  nopl 8(%rdi)
  test $3, %al
  mov 8(%rsp), %r11
  place check_store
  movl $0, 8(%rdi)
  ret
  check acquire_update
  place check_of_update
  nopl 8(%rdi)
  test $3, %al
  mov $1, %eax
  place check_update
  xchg %eax, 8(%rdi)
  ret
  check acquire_update
  place check_of_loop
  nopl 8(%rdi)
  test $3, %al
  place check_first
  mov 8(%rdi), %eax
1: lea 1(%rax), %ecx
  place check_again
  lock cmpxchg %ecx, 8(%rdi)
  jne 1b
  ret
  place check_end
)");
#define PLACE(name) extern "C" const uint8_t name[] __attribute__((visibility("hidden")))
PLACE(live_begin); PLACE(live_compared); PLACE(live_not_equal); PLACE(live_called); PLACE(live_end);
PLACE(frame_private); PLACE(frame_taken); PLACE(frame_copied); PLACE(frame_entered); PLACE(frame_leaving); PLACE(frame_end);
PLACE(run_begin); PLACE(run_changed); PLACE(run_of_update); PLACE(run_of_loop); PLACE(run_target); PLACE(run_end);
PLACE(check_begin); PLACE(check_of_load); PLACE(check_reload); PLACE(check_load); PLACE(check_of_changed);
PLACE(check_changed); PLACE(check_of_size); PLACE(check_size); PLACE(check_of_store); PLACE(check_store);
PLACE(check_of_update); PLACE(check_update); PLACE(check_of_loop); PLACE(check_first); PLACE(check_again); PLACE(check_end);
PLACE(__executable_start);

namespace ana {
namespace {

static_assert((ANA_SITE_ATOMIC | ANA_SITE_READ) == 0x50000, "as the sites above have them");
static_assert((ANA_SITE_ATOMIC | ANA_SITE_WRITE | ANA_SITE_RELEASE) == 0x160000);
static_assert((ANA_SITE_ATOMIC | ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ACQUIRE) == 0xf0000);
static_assert(offsetof(AnaSite, column) == 12 && ANA_SITE_RANGES_SHIFT == 22 && ANA_SITE_DESCRIBED_SHIFT == 29);

enum : uint32_t { kRaxBit = 1 << 0, kRcxBit = 1 << 1, kRsiBit = 1 << 6, kRdiBit = 1 << 7, kR11Bit = 1 << 11 };

// This program, loaded at 0.
class Parts : public testing::Test {
 protected:
  static const ElfFile& program() {
    static Result<ElfFile> elf = ElfFile::open("/proc/self/exe");
    return *elf;
  }
  static uint64_t at(const uint8_t* place) { return static_cast<uint64_t>(place - __executable_start); }
  // Of these instructions alone.
  static StepCode code(const uint8_t* begin, const uint8_t* end) {
    static Result<StepCode> all = read_step_code(program(), 0);
    StepCode out{at(begin), {}, all->operands, {{at(begin), at(end) - at(begin), begin}}};
    auto first = all->index.begin() + static_cast<ptrdiff_t>(at(begin) - all->begin);
    out.index.assign(first, first + (end - begin));
    return out;
  }
  static AccessRun run(const uint8_t* begin, bool by_lines) {
    StepCode all = code(run_begin, run_end);
    auto yes = [](auto...) { return true; };
    return AccessRuns(all, by_lines).plan(all.sections[0], at(begin), yes, yes);
  }
};

TEST_F(Parts, FlagsAreNeededUpToTheJump) {
  StepCode all = code(live_begin, live_end);
  Liveness alive(all, {});
  EXPECT_FALSE(alive.has_flags(at(live_begin)));
  EXPECT_TRUE(alive.has_flags(at(live_compared)));
  EXPECT_FALSE(alive.has_flags(at(live_not_equal)));
}

TEST_F(Parts, RegistersAreNeededByWhoeverReadsThem) {
  StepCode all = code(live_begin, live_end);
  Liveness cautious(all, {});
  EXPECT_TRUE(cautious.registers(at(live_begin)) & kRsiBit);
  EXPECT_FALSE(cautious.registers(at(live_begin)) & kRaxBit);  // it is written first
  EXPECT_EQ(cautious.registers(at(live_called)), 0xffff);      // nobody knows where that goes
  EXPECT_FALSE(cautious.registers(at(live_not_equal)) & kR11Bit);  // the call behind it may change it
  EXPECT_TRUE(cautious.registers(at(live_not_equal)) & kRcxBit);
}

TEST_F(Parts, FramesArePrivateUnlessAnAddressIsTaken) {
  StepCode all = code(frame_private, frame_end);
  PrivateFrames frames(all, program(), 0);
  EXPECT_TRUE(frames.contains(at(frame_private)));
  EXPECT_FALSE(frames.contains(at(frame_taken)));
  EXPECT_FALSE(frames.contains(at(frame_copied)));
  EXPECT_FALSE(frames.contains(at(frame_entered)));  // with the frame of who jumps there
  EXPECT_FALSE(frames.contains(at(frame_leaving)));
}

TEST_F(Parts, AccessesByTheSameRegistersAreAskedForTogether) {
  AccessRun lines = run(run_begin, true);
  ASSERT_EQ(lines.groups.size(), 3u);  // two reads as one; a write; by another register
  EXPECT_EQ(lines.groups[0].all.bytes, 16);
  EXPECT_FALSE(lines.groups[0].of_one);
  EXPECT_TRUE(lines.groups[1].all.writes);
  EXPECT_TRUE(lines.groups[2].of_one);
  EXPECT_EQ(lines.operands.size(), 4u);
  EXPECT_EQ(lines.end, at(run_changed));  // what is behind it is by another rdi
  EXPECT_EQ(lines.registers, kRdiBit | kRsiBit);
  AccessRun bytes = run(run_begin, false);
  ASSERT_EQ(bytes.groups.size(), 2u);
  EXPECT_EQ(bytes.groups[0].all.bytes, 24);
}

TEST_F(Parts, ByLinesAWriteStandsForARead) {
  AccessRun lines = run(run_of_update, true);
  ASSERT_EQ(lines.groups.size(), 1u);
  EXPECT_TRUE(lines.groups[0].all.writes);
  EXPECT_EQ(lines.operands.size(), 2u);
}

TEST_F(Parts, RunsEndWhereJumpsLead) {
  EXPECT_EQ(run(run_of_loop, true).end, at(run_target));
  EXPECT_EQ(run(run_of_loop, true).operands.size(), 1u);
}

// Only where it is certain which instruction is the load: spilled registers may be loaded before it.
TEST_F(Parts, RelaxedLoadsAreToldByTheirInstructions) {
  StepCode all = code(check_begin, check_end);
  AtomicChecks checks(all, program(), 0);
  auto returns_to = [](const uint8_t* behind_site) { return at(behind_site) - kColdSiteBytes; };
  EXPECT_TRUE(checks.is_atomic(returns_to(check_of_load)));
  EXPECT_TRUE(checks.is_told_by_instruction(returns_to(check_of_load)));
  EXPECT_TRUE(checks.is_relaxed(at(check_load)));
  EXPECT_FALSE(checks.is_relaxed(at(check_reload)));
  EXPECT_FALSE(checks.is_access(at(check_reload)));
  EXPECT_FALSE(checks.is_told_by_instruction(returns_to(check_of_changed)));
  EXPECT_FALSE(checks.is_relaxed(at(check_changed)));
  EXPECT_TRUE(checks.is_access(at(check_changed)));
  EXPECT_FALSE(checks.is_told_by_instruction(returns_to(check_of_size)));
  EXPECT_FALSE(checks.is_relaxed(at(check_size)));
}

// Not where the first access to what the check names may be that of a loop.
TEST_F(Parts, ChecksAreCountedWhereTheirInstructionsAreCertain) {
  StepCode all = code(check_begin, check_end);
  AtomicChecks checks(all, program(), 0);
  auto returns_to = [](const uint8_t* behind_site) { return at(behind_site) - kColdSiteBytes; };
  EXPECT_TRUE(checks.is_counted(returns_to(check_of_store)));
  EXPECT_TRUE(checks.is_told_by_check(at(check_store)));
  EXPECT_TRUE(checks.is_counted(returns_to(check_of_update)));
  EXPECT_TRUE(checks.is_told_by_check(at(check_update)));
  EXPECT_FALSE(checks.is_counted(returns_to(check_of_loop)));
  EXPECT_FALSE(checks.is_told_by_check(at(check_first)));
  EXPECT_FALSE(checks.is_told_by_check(at(check_again)));
  EXPECT_TRUE(checks.is_access(at(check_first)));
  EXPECT_TRUE(checks.is_access(at(check_again)));
  EXPECT_FALSE(checks.is_counted(returns_to(check_of_load)));  // its instruction tells it
  EXPECT_FALSE(checks.is_counted(returns_to(check_of_size)));
  // What has been marked is found as before.
  checks.relax_counted();
  checks.mark_relaxed(all);
  EXPECT_TRUE(checks.is_relaxed(at(check_store)));
  AtomicChecks again(all, program(), 0);
  EXPECT_TRUE(again.is_counted(returns_to(check_of_store)));
  EXPECT_FALSE(again.is_counted(returns_to(check_of_loop)));
}

}  // namespace
}  // namespace ana
