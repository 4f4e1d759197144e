// The parts of a translation (translate.cc) that tell what its instructions access: what asks whether an access has to be
// told, and what notes it.
#pragma once
#include <bit>
#include <unordered_set>
#include <vector>

#include "anaphora/runtime_abi.h"
#include "trace/access_runs.h"
#include "trace/atomic_checks.h"
#include "trace/liveness.h"
#include "trace/looks.h"
#include "trace/machine_code.h"
#include "trace/private_frames.h"
#include "trace/runtime_calls.h"
#include "trace/seen_lookups.h"
#include "trace/translate.h"
#include "trace/translation.h"

namespace ana {

class TellingCode {
 protected:
  using Once = TranslationWishes::Once;

  // The copy goes to `at`, its code begins `code_offset` behind that.
  TellingCode(const StepCode& code, const ElfFile& program, uint64_t base, const TranslationWishes& wishes,
              const TranslationPlace& place, uint64_t at, uint64_t code_offset)
      : code_(code),
        wishes_(wishes),
        first_operand_(place.first_operand),
        at_(at),
        code_offset_(code_offset),
        out_(at + code_offset),
        lookups_(out_, wishes.once == Once::kBytes),
        alive_(code, runtime_calls(program, program.position_independent() ? base : 0, {"__ana_check", "__ana_poll"})),
        atomics_(code, program, base, place.fences_elsewhere),
        frames_(code, program, program.position_independent() ? base : 0),
        wanted_(wishes.lines.begin(), wishes.lines.end()) {
    if (!wishes.order.empty()) atomics_.relax_counted();
  }

  static constexpr uint8_t kBreakpoint = 0xcc, kJumpIfNot = 0x75;

  // It is always the same address.
  static bool is_constant(const StepOperand& o) {
    return o.base == kNoRegister && o.index == kNoRegister && o.bit == kNoRegister && !o.thread_local_;
  }
  // Of an operand, among those of all code that is followed.
  uint32_t number_of(uint32_t operand) const { return first_operand_ + operand; }
  bool has_lines() const { return !wishes_.lines.empty(); }

  void add_origin(uint64_t address) {
    origins_.push_back({static_cast<uint32_t>(out_.here() - at_), static_cast<uint32_t>(address - code_.begin)});
  }

  void save_scratch() {
    out_.store_gs(kRax, kGsScratch);
    out_.store_gs(kRcx, kGsScratch + 8);
  }
  void restore_scratch() {
    out_.load_gs(kRax, kGsScratch);
    out_.load_gs(kRcx, kGsScratch + 8);
  }

  void tell_operands(uint32_t first, uint64_t address) {
    for (uint32_t i = first;; i++) {
      tell_operand(i, address);
      if (code_.operands[i].last) return;
    }
  }

  bool tells_once() const { return wishes_.once != Once::kNothing; }
  // Not if it has been told in the thread's epoch.
  bool tells_once(const StepOperand& o, uint64_t address) const {
    bool filtered = o.locked ? atomics_.is_relaxed(address) : !atomics_.is_access(address);
    return tells_once() && filtered && !o.repeated && o.bit == kNoRegister && std::has_single_bit(o.bytes) &&
           o.bytes < 1u << kSeenSizes;
  }

  bool may_be_left(const StepOperand& o, uint64_t address) const {  // it orders nothing
    return has_lines() && (tells_once(o, address) || !(o.locked || atomics_.is_access(address)));
  }
  bool is_wanted(const StepOperand& o) const {
    auto first = static_cast<uint64_t>(o.displacement), last = first + o.bytes - 1;
    return wanted_.contains(first >> kSeenLineShift) || wanted_.contains(last >> kSeenLineShift);
  }

  void tell_operand(uint32_t number, uint64_t address) {
    const StepOperand& o = code_.operands[number];
    if ((covered_ && covered_->contains(number)) || is_own(o, address)) return;
    if (tells_once() && wishes_.order.empty() && atomics_.is_told_by_check(address)) return;
    if (wishes_.only_ordering && (atomics_.is_relaxed(address) || (!o.locked && !atomics_.is_access(address)))) return;
    if (may_be_left(o, address) && is_constant(o) && !is_wanted(o)) return;
    if (!ask_quickly(number, address)) tell_closer(number, address);
  }

  bool is_own(const StepOperand& o, uint64_t address) const {
    bool on_stack = register_number(o.base) == kRsp && o.index == kNoRegister && o.bit == kNoRegister;
    return tells_once() && on_stack && !o.locked && frames_.contains(address);
  }
  bool can_ask(const StepOperand& o, uint64_t address) const {
    return (tells_once(o, address) || may_be_left(o, address)) && !o.repeated && o.bit == kNoRegister && !o.thread_local_;
  }

  void put_address_into(Register to, const StepOperand& o, bool half) {
    out_.lea(to, register_number(o.base), register_number(o.index), o.scale, static_cast<int32_t>(o.displacement), half);
  }

  // A register that the program does not need here, none of `busy`, or one that is put aside: not one of `used`, of which it
  // is one from now on.
  Register take_register(uint32_t busy, uint32_t& used, std::vector<Register>& aside) {
    auto lowest = [](uint32_t taken) { return static_cast<uint32_t>(std::countr_one(taken | 1u << kRsp)); };
    uint32_t chosen = lowest(busy | used);
    if (chosen >= 16) {
      chosen = lowest(used);
      out_.store_gs(static_cast<Register>(chosen), static_cast<uint32_t>(kGsScratch + 8 * aside.size()));
      aside.push_back(static_cast<Register>(chosen));
    }
    used |= 1u << chosen;
    return static_cast<Register>(chosen);
  }
  void put_back(const std::vector<Register>& aside) {
    for (size_t i = 0; i < aside.size(); i++) out_.load_gs(aside[i], static_cast<uint32_t>(kGsScratch + 8 * i));
  }

  // Most accesses need not be told. Whether this may be one of the others is asked here in as few instructions as there can
  // be; those that tell it are elsewhere. False if it cannot be asked so.
  bool ask_quickly(uint32_t number, uint64_t address) {
    const StepOperand& o = code_.operands[number];
    bool once = tells_once(o, address), left = may_be_left(o, address);
    if (!can_ask(o, address) || alive_.has_flags(address)) return false;
    bool one_place = once && is_constant(o) && SeenLookups::has_place(number_of(number));
    if (is_constant(o) && !one_place) return false;
    uint32_t used = 0, busy = alive_.registers(address);
    for (uint8_t r : {register_number(o.base), register_number(o.index)})
      if (r != kNoRegister) used |= 1u << r;
    Closer closer{number, address, {}, {}, 0};
    Register first = take_register(busy, used, closer.aside);
    bool two = !one_place && !left;
    Register second = two ? take_register(busy, used, closer.aside) : kNone;
    if (one_place) lookups_.quickly_for_place(number_of(number), first, closer.jumps);
    else put_address_into(first, o, left);
    if (left && !one_place) lookups_.quickly_whether_wanted(first, closer.jumps);
    if (two && wishes_.once == Once::kLines && !o.locked) lookups_.quickly_for_lines(o, first, second, closer.jumps);
    else if (two) lookups_.quickly_for_bytes(o, number_of(number), first, second, closer.jumps);
    put_back(closer.aside);
    closer.back = out_.here();
    closer_.push_back(std::move(closer));
    return true;
  }

  // What has been asked quickly and may have to be told, behind all other code.
  struct Closer {
    uint32_t number;
    uint64_t address;
    std::vector<Register> aside;
    std::vector<size_t> jumps;
    uint64_t back;
  };
  void add_closers() {
    for (const Closer& closer : closer_) add_closer(closer);
  }
  void add_closer(const Closer& closer) {
    for (size_t jump : closer.jumps) out_.set_relative(jump, out_.here());
    add_origin(closer.address);
    put_back(closer.aside);
    tell_closer(closer.number, closer.address);
    out_.jump(closer.back);
  }

  void tell_closer(uint32_t number, uint64_t address) {
    const StepOperand& o = code_.operands[number];
    bool once = tells_once(o, address);
    bool may_be_left = this->may_be_left(o, address);
    bool releases = tells_once() && o.locked && !once;
    bool keep_flags = (once || may_be_left || releases) && alive_.has_flags(address);
    bool one_place = once && is_constant(o) && SeenLookups::has_place(number_of(number));
    size_t told_here = 0;
    std::vector<size_t> done;
    out_.store_gs(kRax, kGsScratch);
    if (one_place) {
      if (keep_flags) save_flags();
      told_here = lookups_.for_place(number_of(number));
    }
    out_.store_gs(kRcx, kGsScratch + 8);
    put_address(o);
    if (keep_flags && !one_place) save_flags();
    if (may_be_left) done.push_back(lookups_.whether_wanted());
    bool by_line = once && wishes_.once == Once::kLines && !o.locked;
    if (by_line) lookups_.for_lines(o, done);
    else if (once && !(one_place && lookups_.by_bytes())) done.push_back(lookups_.for_bytes(o, number_of(number)));
    if (by_line) {  // the address was used up
      restore_scratch();
      put_address(o);
    }
    note_reference(number);
    for (size_t jump : done) out_.set_relative(jump, out_.here());
    if (releases) begin_epoch();
    out_.load_gs(kRcx, kGsScratch + 8);
    if (one_place) out_.set_relative(told_here, out_.here());
    if (keep_flags) load_flags();
    out_.load_gs(kRax, kGsScratch);
  }

  // To what is at the address in rcx.
  void note_reference(uint32_t number) {
    out_.load_gs(kRax, kGsNext);
    out_.put({0x65, 0x48, 0x89, 0x08});  // mov %rcx, %gs:(%rax): the one that may fault
    out_.put({0x65, 0xc7, 0x40, 0x08});  // movl $number, %gs:8(%rax)
    out_.put_number(number_of(number));
    out_.load_gs_half(kRcx, ANA_GS_COUNT);
    out_.put({0x65, 0x89, 0x48, 0x0c});  // movl %ecx, %gs:12(%rax)
    out_.lea(kRax, kRax, kNone, 1, sizeof(CompactReference));
    out_.store_gs(kRax, kGsNext);
  }

  // What has been told is known by upper bits that are another number from now on. When all have been used, the host
  // helps.
  void begin_epoch() {
    for (uint32_t present : {kGsPresentAtomic, kGsPresent}) {
      out_.put({0x66, 0x65, 0x83, 0x04, 0x25});  // addw $1
      out_.put_number(uint32_t{present + kSeenShift / 8});
      out_.put({1});
      size_t begun = out_.jump_short(kJumpIfNot);
      out_.put({kBreakpoint, 0x0f, kNewTablesMark, 0x00});
      out_.land(begun);
    }
  }

  // By way of rax.
  void save_flags() {
    out_.put({0x9f, 0x0f, 0x90, 0xc0});  // lahf; seto %al
    out_.store_gs(kRax, kGsScratch + 16);
  }
  void load_flags() {
    out_.load_gs(kRax, kGsScratch + 16);
    out_.put({0x04, 0x7f, 0x9e});  // add $0x7f, %al; sahf
  }

  // Into rcx. No flags are changed, and rax not before the address is there.
  void put_address(const StepOperand& o) {
    uint8_t base = register_number(o.base), index = register_number(o.index);
    if (base == kNone && index == kNone) {
      out_.put({0x48, 0xb9});  // movabs
      out_.put_number(o.displacement);
    } else {
      out_.lea(kRcx, base, index, o.scale, static_cast<int32_t>(o.displacement));
    }
    if (o.thread_local_) {
      out_.put({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0});  // mov %fs:0, %rax
      out_.lea(kRcx, kRcx, kRax, 1, 0);
    }
    if (o.bit != kNoRegister) add_bit_offset(register_number(o.bit), o.bytes);
  }

  // The word that has the bit, to rcx; flags are kept.
  void add_bit_offset(uint8_t bit, uint32_t bytes) {
    save_flags();
    if (bit == kRax || bit == kRcx) out_.load_gs(kRax, kGsScratch + 8u * bit);
    else out_.put({static_cast<uint8_t>(bit >= 8 ? 0x4c : 0x48), 0x89, static_cast<uint8_t>(0xc0 | (bit & 7) << 3)});
    if (bytes == 2) out_.put({0x48, 0x0f, 0xbf, 0xc0});  // movswq %ax, %rax
    if (bytes == 4) out_.put({0x48, 0x63, 0xc0});        // movslq %eax, %rax
    auto log = static_cast<uint8_t>(std::countr_zero(bytes));
    out_.put({0x48, 0xc1, 0xf8, static_cast<uint8_t>(log + 3)});  // sar
    out_.put({0x48, 0xc1, 0xe0, log});                            // shl
    out_.put({0x48, 0x01, 0xc1});                                 // add %rax, %rcx
    load_flags();
  }

  void ask_for(const AccessGroup& group, Register first, Register second, std::vector<size_t>& maybe) {
    const StepOperand& o = group.all;
    put_address_into(first, o, has_lines());
    if (has_lines()) lookups_.quickly_whether_wanted(first, maybe);
    else if (group.of_one) lookups_.quickly_for_lines(o, first, second, maybe);
    else lookups_.quickly_for_two_lines(o, first, second, maybe);
  }

  const StepCode& code_;
  TranslationWishes wishes_;
  uint32_t first_operand_;
  uint64_t at_, code_offset_;
  MachineCode out_;
  std::vector<Origin> origins_;
  SeenLookups lookups_;
  Liveness alive_;
  AtomicChecks atomics_;
  PrivateFrames frames_;
  std::unordered_set<uint64_t> wanted_;  // lines
  std::vector<Closer> closer_;
  const std::unordered_set<uint32_t>* covered_ = nullptr;  // operands that have been asked for already
};

}  // namespace ana
