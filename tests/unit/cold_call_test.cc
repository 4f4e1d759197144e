// What stands behind cold calls, as the assembler writes it: every way of addressing, and code that is not ours.
#include "trace/cold_call.h"

#include <gtest/gtest.h>

#include <vector>

extern "C" {
extern const uint8_t cold_call_code[], cold_call_other[], cold_call_operands[], cold_call_operands_end[];
extern uint64_t cold_call_data[];
AnaSite cold_call_site = {0, 0, 12, 7 | 4u << ANA_SITE_RANGES_SHIFT | 3u << ANA_SITE_DESCRIBED_SHIFT};
uint64_t cold_call_data[4];
}

asm(R"(
        .pushsection .rodata
cold_call_code:
        nopl  cold_call_site(%rip)
        nopq  24(%rax)
        testb $7, %al
        nopl  cold_call_data+8(%rip)
        testb $255, %al
        nopq  (%r12,%rbx,8)
        nopl  0x1234(%r13,%r9)
        nopl  0(%rax,%rax)
cold_call_other:
        nopl  cold_call_site(%rip)
        nopl  (%rsi)
        xor   %eax, %eax
cold_call_operands:
        nopl  (%rax)
        nopl  (%rsp)
        nopl  (%rbp)
        nopl  (%r12)
        nopl  (%r13)
        nopl  -128(%r15)
        nopl  128(%rdi)
        nopl  -8(%rsp,%r14,4)
        nopl  (%rbp,%r12,2)
        nopl  0x7f000000(,%rcx,8)
        nopl  0x1000
        nopl  -0x1000
cold_call_operands_end:
        .popsection
)");

namespace ana {
namespace {

ColdCall at(const uint8_t* code) {
  ColdCall call;
  for (uint64_t i = 0; i < 16; ++i) call.registers[i] = 0x100000000 * (i + 1);
  call.behind = code;
  return call;
}

uint64_t value(uint64_t number) { return 0x100000000 * (number + 1); }
enum Number { kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15 };

TEST(ColdCall, RangesBehindACall) {
  ColdCall call = at(cold_call_code);
  AnaRange ranges[4] = {};
  ranges[3] = {1, 2};
  EXPECT_EQ(cold_site(call.behind), &cold_call_site);
  ASSERT_EQ(read_cold_ranges(call, ranges), 4);
  EXPECT_EQ(ranges[0].first, (value(kRax) + 24) | ANA_RANGE_WRITE);
  EXPECT_EQ(ranges[0].last, value(kRax) + 31);
  EXPECT_EQ(ranges[1].first, reinterpret_cast<uint64_t>(cold_call_data + 1));
  EXPECT_EQ(ranges[1].last, ranges[1].first + 255);
  EXPECT_EQ(ranges[2].first, (value(kR12) + 8 * value(kRbx)) | ANA_RANGE_WRITE);
  EXPECT_EQ(ranges[2].last, value(kR13) + value(kR9) + 0x1234);
  EXPECT_EQ(ranges[3].first, 1u) << "what the code has stored itself stays";
}

TEST(ColdCall, WildPointers) {
  ColdCall call = at(cold_call_code);
  call.registers[kRax] = 0xdeadbeefcafebabe;
  AnaRange ranges[4] = {};
  ranges[3] = {0xffff888000001000 | ANA_RANGE_WRITE, 0xffff888000001fff};
  ASSERT_EQ(read_cold_ranges(call, ranges), 4);
  EXPECT_EQ(ranges[0].first, ((0xdeadbeefcafebabe + 24) & ANA_ADDRESS_MASK) | ANA_RANGE_WRITE);
  EXPECT_EQ(ranges[0].last - (ranges[0].first & ~ANA_RANGE_WRITE), 7u);
  EXPECT_EQ(ranges[3].last - (ranges[3].first & ~ANA_RANGE_WRITE), 0xfffu);
}

TEST(ColdCall, BreakpointWhereItReturnsTo) {
  // At another address, so that only the site is the same.
  std::vector<uint8_t> code(cold_call_code, cold_call_code + 16);
  code[0] = 0xcc;
  uint64_t moved = reinterpret_cast<uint64_t>(code.data()) - reinterpret_cast<uint64_t>(cold_call_code);
  EXPECT_EQ(reinterpret_cast<uint64_t>(cold_site(code.data())) - moved, reinterpret_cast<uint64_t>(&cold_call_site));
}

TEST(ColdCall, OtherCode) {
  ColdCall call = at(cold_call_other);
  AnaRange ranges[4];
  EXPECT_EQ(read_cold_ranges(call, ranges), -1);
}

TEST(ColdCall, WaysOfAddressing) {
  ColdCall call = at(cold_call_operands);
  const uint64_t expected[] = {value(kRax),
                               value(kRsp),
                               value(kRbp),
                               value(kR12),
                               value(kR13),
                               value(kR15) - 128,
                               value(kRdi) + 128,
                               value(kRsp) + 4 * value(kR14) - 8,
                               value(kRbp) + 2 * value(kR12),
                               8 * value(kRcx) + 0x7f000000,
                               0x1000,
                               uint64_t{0} - 0x1000};
  const uint8_t* code = cold_call_operands;
  for (uint64_t address : expected) {
    ColdOperand operand = read_cold_operand(code, call.registers);
    ASSERT_NE(operand.next, nullptr);
    EXPECT_EQ(operand.address, address);
    EXPECT_FALSE(operand.wide);
    code = operand.next;
  }
  EXPECT_EQ(code, cold_call_operands_end);
}

}  // namespace
}  // namespace ana
