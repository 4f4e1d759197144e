#include "trace/translate.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "anaphora/runtime_abi.h"
#include "trace/atomic_checks.h"
#include "trace/cold_call.h"
#include "trace/runtime_calls.h"
#include "trace/telling_code.h"
#include "trace/telling_functions.h"
#include "trace/translation.h"

namespace ana {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kDistance = 256 << 20;  // from the program's code: behind its data, and in reach of it
constexpr uint32_t kJumpBytes = 5;
constexpr uint8_t kJumpIf = 0x74, kJumpIfNotBelow = 0x73, kJumpIfLess = 0x7c;

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  bool is(ZydisMnemonic m) const { return instruction.mnemonic == m; }
  bool is_relative() const { return operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE; }
  bool is_conditional() const { return instruction.meta.category == ZYDIS_CATEGORY_COND_BR; }
  bool is_call() const { return is(ZYDIS_MNEMONIC_CALL); }
  // What follows is not where it goes on, or only when it comes back.
  bool ends_block() const {
    return is_call() || is(ZYDIS_MNEMONIC_JMP) || is(ZYDIS_MNEMONIC_RET) || is(ZYDIS_MNEMONIC_UD2) ||
           is(ZYDIS_MNEMONIC_INT3) || is(ZYDIS_MNEMONIC_HLT);
  }
  uint64_t target(uint64_t address) const {
    return address + instruction.length + static_cast<uint64_t>(operands[0].imm.value.s);
  }
};

class Translator : private TellingCode {
 public:
  Translator(const StepCode& code, const ElfFile& program, uint64_t base, const TranslationWishes& wishes,
             const TranslationPlace& place)
      : TellingCode(code, program, base, wishes, place,
                    place.at ? place.at : (code.end() + kDistance + kPage - 1) / kPage * kPage,
                    (code.index.size() * sizeof(uint32_t) + kPage - 1) / kPage * kPage),
        place_(place),
        entries_(code.index.size()),
        runs_(code, wishes.once == Once::kLines),
        telling_(program, program.position_independent() ? base : 0, atomics_, wishes.once != Once::kNothing) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!program.position_independent()) base = 0;
    for (const ElfFile::Symbol& f : program.functions()) functions_.insert(base + f.address);
    checks_ = runtime_calls(program, base, {"__ana_check"});
    returning_ = runtime_calls(program, base, {"__ana_poll", "__ana_scan_read", "__ana_scan_write"});
    if (auto sites = program.section("ana_sites")) sites_ = {base + sites->address, sites->bytes};
  }

  std::vector<uint8_t> run() {
    for (const StepCode::Section& section : code_.sections) add_section(section);
    for (const AskedRun& asked : asked_) add_again(asked);
    add_closers();
    for (auto [at, target] : jumps_) out_.set_relative(at, translated(target));
    return assemble();
  }

 private:
  struct Start {
    uint64_t address;
    bool ends_block;
  };

  bool in_code(uint64_t address) const { return address >= code_.begin && address < code_.end(); }
  uint64_t translated(uint64_t address) const {
    uint32_t entry = in_code(address) ? entries_[address - code_.begin] : 0;
    return entry ? at_ + entry : address;
  }

  bool decode(const StepCode::Section& section, uint64_t address, Decoded& to) const {
    uint64_t into = address - section.address;
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, section.contents + into, section.bytes - into, &to.instruction,
                                               to.operands));
  }

  void begin_instruction(uint64_t address) {
    add_origin(address);
    entries_[address - code_.begin] = origins_.back().translated;
  }

  void add_section(const StepCode::Section& section) {
    for (uint64_t address = section.address; address < section.address + section.bytes;) {
      if (uint64_t end = add_run(section, address)) {
        address = end;
        continue;
      }
      begin_instruction(address);
      Decoded d;
      if (!decode(section, address, d)) {  // nothing that can be executed
        out_.put({kBreakpoint});
        entries_[address - code_.begin] = 0;
        address++;
        continue;
      }
      starts_.push_back({address, d.ends_block()});
      if (d.is_call()) returns_.insert(address + d.instruction.length);
      add(section, d, address);
      address += d.instruction.length;
    }
    out_.put({kBreakpoint});
  }

  // Those of a run, which has nothing else.
  void add_instructions(const StepCode::Section& section, uint64_t begin, uint64_t end, bool again) {
    for (uint64_t address = begin; address < end;) {
      if (!again || address != begin) begin_instruction(address);
      else add_origin(address);
      Decoded d;
      decode(section, address, d);
      if (!again) starts_.push_back({address, false});
      add(section, d, address);
      address += d.instruction.length;
    }
  }

  // Where the accesses of a stretch of code can be asked for together: this, then the stretch without questions, and
  // elsewhere once more with a question before each access, for when the answer is that one of them may have to be told, and
  // for whoever comes to the middle of it. Returns its end, or 0.
  uint64_t add_run(const StepCode::Section& section, uint64_t begin) {
    if (looks() || !(has_lines() || wishes_.once == Once::kLines)) return 0;
    if (code_.index[begin - code_.begin] < kStepFirstOperand || alive_.has_flags(begin)) return 0;
    auto may_pass = [&](uint64_t at) { return !may_order(at); };
    auto may_ask = [&](uint32_t number, uint64_t at) {
      const StepOperand& o = code_.operands[number];
      return can_ask(o, at) && !o.locked && !is_constant(o) && !is_own(o, at) && o.bytes <= 1u << kSeenLineShift;
    };
    AccessRun run = runs_.plan(section, begin, may_ask, may_pass);
    constexpr int kMostRegisters = 12;  // some have to be left for the questions
    if (run.operands.size() < 2 || std::popcount(run.registers) > kMostRegisters) return 0;
    uint32_t busy = alive_.registers(begin), used = run.registers;
    AskedRun asked{&section, run.begin, run.end, {}, {}};
    add_origin(begin);
    entries_[begin - code_.begin] = origins_.back().translated;
    Register first = take_register(busy, used, asked.aside);
    Register second = has_lines() ? kNone : take_register(busy, used, asked.aside);
    for (const AccessGroup& group : run.groups) ask_for(group, first, second, asked.jumps);
    put_back(asked.aside);
    covered_ = &run.operands;
    add_instructions(section, run.begin, run.end, false);
    covered_ = nullptr;
    asked_.push_back(std::move(asked));
    return run.end;
  }
  // What comes after it may be in another epoch.
  bool may_order(uint64_t address) const {
    uint32_t what = code_.index[address - code_.begin];
    if (what < kStepFirstOperand) return what != kStepPlain;
    bool locked = false;
    for (uint32_t i = what - kStepFirstOperand;; i++) {
      locked |= code_.operands[i].locked;
      if (code_.operands[i].last) return locked || atomics_.is_access(address);
    }
  }

  struct AskedRun {
    const StepCode::Section* section;
    uint64_t begin, end;
    std::vector<Register> aside;
    std::vector<size_t> jumps;
  };
  void add_again(const AskedRun& asked) {
    for (size_t jump : asked.jumps) out_.set_relative(jump, out_.here());
    add_origin(asked.begin);
    put_back(asked.aside);
    add_instructions(*asked.section, asked.begin, asked.end, true);
    jump_to(asked.end);
  }

  void add(const StepCode::Section& section, const Decoded& d, uint64_t address) {
    uint32_t what = code_.index[address - code_.begin];
    const uint8_t* bytes = section.contents + (address - section.address);
    if (what == kStepUnknown && !looks()) return out_.put({kBreakpoint});
    if (what >= kStepFirstOperand && looks()) add_looks(address);
    if (what >= kStepFirstOperand && code_.operands[what - kStepFirstOperand].repeated)
      return add_repeated(d, bytes, what - kStepFirstOperand, address);
    if (what >= kStepFirstOperand && !looks()) tell_operands(what - kStepFirstOperand, address);
    if (d.is_call() || d.is(ZYDIS_MNEMONIC_JMP)) return add_transfer(d, bytes, address);
    if (d.is(ZYDIS_MNEMONIC_RET)) return add_return(d);
    if (d.is_conditional()) return add_conditional(d, bytes, address);
    if (d.instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) return out_.put({kBreakpoint});  // xbegin
    copy(d, bytes, address);
  }

  // While anything is told, threads have an epoch that makes every check call the runtime. In functions where these calls
  // would find nothing to do it is taken for what it is otherwise: whether a check is due.
  static bool reads_epoch(const Decoded& d) {
    for (size_t i = 0; i < d.instruction.operand_count_visible; i++) {
      const ZydisDecodedOperand& o = d.operands[i];
      if (o.type == ZYDIS_OPERAND_TYPE_MEMORY && o.mem.segment == ZYDIS_REGISTER_GS && o.size == 32 &&
          o.mem.base == ZYDIS_REGISTER_NONE && o.mem.index == ZYDIS_REGISTER_NONE && o.mem.disp.value == ANA_GS_EPOCH)
        return !(o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && d.instruction.raw.disp.size == 32;
    }
    return false;
  }
  void copy_with_due(const Decoded& d, const uint8_t* bytes) {
    uint32_t behind = d.instruction.raw.disp.offset + 4u;
    out_.copy(bytes, behind - 4);
    out_.put_number(kGsDue);
    out_.copy(bytes + behind, d.instruction.length - behind);
  }

  // With what lies at rip made to lie where it did.
  void copy(const Decoded& d, const uint8_t* bytes, uint64_t address) {
    if (!checks_.empty() && reads_epoch(d) && !telling_.contains(address)) return copy_with_due(d, bytes);
    const auto& disp = d.instruction.raw.disp;
    bool relative = (d.instruction.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0 && disp.size == 32;
    if (!relative) return out_.copy(bytes, d.instruction.length);
    out_.copy(bytes, disp.offset);
    uint32_t after = d.instruction.length - disp.offset - 4u;
    out_.put_relative(address + d.instruction.length + static_cast<uint64_t>(disp.value), after);
    out_.copy(bytes + disp.offset + 4, after);
  }

  // rep and its kin as a loop, so that each element is told.
  void add_repeated(const Decoded& d, const uint8_t* bytes, uint32_t operands, uint64_t address) {
    uint64_t loop = out_.here();
    size_t end = out_.jump_short(0xe3);  // jrcxz
    // Too far for a short jump over what tells: jump over a jump.
    size_t body = out_.jump_short(0xeb);
    out_.land(end);
    out_.put({0xe9});
    size_t done = out_.bytes().size();
    out_.put_number(int32_t{0});
    out_.land(body);
    if (!looks()) tell_operands(operands, address);
    for (size_t i = 0; i < d.instruction.length; i++) {
      bool repeats = i < d.instruction.raw.prefix_count && (bytes[i] == 0xf2 || bytes[i] == 0xf3);
      if (!repeats) out_.put({bytes[i]});
    }
    out_.lea(kRcx, kRcx, kNone, 1, -1);
    bool compares = d.is(ZYDIS_MNEMONIC_CMPSB) || d.is(ZYDIS_MNEMONIC_CMPSW) || d.is(ZYDIS_MNEMONIC_CMPSD) ||
                    d.is(ZYDIS_MNEMONIC_CMPSQ) || d.is(ZYDIS_MNEMONIC_SCASB) || d.is(ZYDIS_MNEMONIC_SCASW) ||
                    d.is(ZYDIS_MNEMONIC_SCASD) || d.is(ZYDIS_MNEMONIC_SCASQ);
    size_t stop = 0;
    if (compares)
      stop = out_.jump_short(d.instruction.attributes & ZYDIS_ATTRIB_HAS_REPNE ? kJumpIf : kJumpIfNot);
    out_.jump(loop);
    if (compares) out_.land(stop);
    out_.set_relative(done, out_.here());
  }

  void add_transfer(const Decoded& d, const uint8_t* bytes, uint64_t address) {
    uint64_t after = address + d.instruction.length;
    if (d.instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return out_.put({kBreakpoint});
    if (d.is_relative()) {
      uint64_t target = d.target(address);
      if (d.is_call() && looks()) note_call(after);
      if (d.is_call() && checks_.contains(target)) return add_check(after, target);
      if (d.is_call() && returning_.contains(target)) return call(target);
      size_t literal = d.is_call() ? push_literal() : 0;
      jump_to(target);
      if (d.is_call()) put_literal(literal, after);
      return;
    }
    if (d.is_call() && looks()) note_call(after);
    save_scratch();
    load_target(d, bytes, address);
    if (d.is_call()) {
      size_t literal = push_literal();
      find_and_jump();
      put_literal(literal, after);
      return;
    }
    out_.store_gs(kRax, kGsTarget);
    save_flags();  // they may be used behind a jump
    out_.load_gs(kRax, kGsTarget);
    find();
    load_flags();
    restore_scratch();
    out_.jump_gs(kGsTarget);
  }

  bool looks() const { return !wishes_.looks.empty(); }

  // Breakpoints for the threads and counts at which the instruction is looked at.
  void add_looks(uint64_t address) {
    for (const Look& look : wishes_.looks) {
      if (look.site != address) continue;
      out_.store_gs(kRax, kGsScratch);
      save_flags();
      size_t other_count = compare_gs(ANA_GS_COUNT, static_cast<uint32_t>(look.count));
      size_t other_slot = compare_gs(ANA_GS_SLOT, look.slot);
      restore_flags();
      out_.put({kBreakpoint, kLookMark, 0x1f, 0x00});  // nopl (%rax)
      size_t looked = out_.jump_short(0xeb);
      out_.land(other_count);
      out_.land(other_slot);
      restore_flags();
      out_.land(looked);
    }
  }
  size_t compare_gs(uint32_t offset, uint32_t with) {
    out_.put({0x65, 0x81, 0x3c, 0x25});  // cmpl $with, %gs:offset
    out_.put_number(offset);
    out_.put_number(with);
    return out_.jump_short(kJumpIfNot);
  }
  void restore_flags() {
    load_flags();
    out_.load_gs(kRax, kGsScratch);
  }

  // Before a call: those that have returned go, this one comes.
  void note_call(uint64_t after) {
    save_scratch();
    out_.load_gs(kRax, kGsNext);
    out_.put({0x65, 0x48, 0x39, 0x60, 0xf0});  // cmp %rsp, %gs:-16(%rax)
    out_.put({kJumpIfNotBelow, 6, 0x48, 0x8d, 0x40, 0xf0, 0xeb, 0xf3});  // jae; lea -16(%rax), %rax; jmp to the cmp
    out_.put({0x48, 0x3d});                    // cmp: no room
    out_.put_number(kGsCalls + kCallsBytes);
    size_t full = out_.jump_short(kJumpIfNotBelow);
    out_.put({0x48, 0x8d, 0x4c, 0x24, 0xf8});  // lea -8(%rsp), %rcx
    out_.put({0x65, 0x48, 0x89, 0x08});        // mov %rcx, %gs:(%rax)
    out_.put({0x48, 0xb9});                    // movabs
    out_.put_number(after);
    out_.put({0x65, 0x48, 0x89, 0x48, 0x08});  // mov %rcx, %gs:8(%rax)
    out_.lea(kRax, kRax, kNone, 1, sizeof(NotedCall));
    out_.land(full);
    out_.store_gs(kRax, kGsNext);
    restore_scratch();
  }

  // The hooks of checks, polls and scans are the runtime's own business: they come back to the copy, which has the nops
  // behind them (cold_call.h), too.
  void call(uint64_t target) {
    out_.put({0xe8});
    out_.put_relative(target);
  }

  // The call of a check, which keeps all but flags: not if it would have nothing to do.
  void add_check(uint64_t after, uint64_t check) {
    if (tells_once() && atomics_.is_counted(after)) return add_counted_check(check);
    bool told_here = tells_once() && atomics_.is_told_by_instruction(after);
    if (atomics_.is_atomic(after) && !told_here) return call(check);
    out_.put({0x65, 0x48, 0x83, 0x3c, 0x25});  // cmpq $0, %gs:
    out_.put_number(kGsDue);
    out_.put({0});
    size_t nothing = out_.jump_short(kJumpIf);
    call(check);
    out_.land(nothing);
  }

  // It is left out unless its turn has come, and called then only if there is something else to do.
  void add_counted_check(uint64_t check) {
    out_.put({0x65, 0x48, 0x83, 0x2c, 0x25});  // subq $1, %gs:
    out_.put_number(kGsSkips);
    out_.put({1});
    size_t told = out_.jump_short(kJumpIfLess);
    out_.put({0x65, 0x48, 0x83, 0x3c, 0x25});  // cmpq $0, %gs:
    out_.put_number(kGsDue);
    out_.put({0});
    size_t nothing = out_.jump_short(kJumpIf);
    out_.put({0x65, 0xc6, 0x04, 0x25});        // movb $1, %gs:
    out_.put_number(kGsQuiet);
    out_.put({1});
    out_.land(told);
    call(check);
    out_.land(nothing);
  }

  // push of eight bytes that follow later.
  size_t push_literal() {
    out_.put({0xff, 0x35});
    out_.put_number(int32_t{0});
    return out_.bytes().size() - 4;
  }
  void put_literal(size_t push, uint64_t value) {
    out_.set_relative(push, out_.here());
    out_.put_number(value);
  }

  void jump_to(uint64_t target) {
    out_.put({0xe9});
    put_jump_distance(target);
  }
  void put_jump_distance(uint64_t target) {
    jumps_.emplace_back(out_.bytes().size(), target);
    out_.put_number(int32_t{0});
  }

  void add_conditional(const Decoded& d, const uint8_t* bytes, uint64_t address) {
    uint64_t target = d.target(address);
    uint8_t opcode = d.instruction.opcode;
    if (opcode >= 0xe0 && opcode <= 0xe3) {  // loop, jrcxz: short ones only
      out_.copy(bytes, d.instruction.length - 1u);
      out_.put({2, 0xeb, kJumpBytes});
      return jump_to(target);
    }
    out_.put({0x0f, static_cast<uint8_t>(0x80 | (opcode & 0xf))});
    put_jump_distance(target);
  }

  void add_return(const Decoded& d) {
    save_scratch();
    out_.put({0x58});  // pop %rax
    const auto& more = d.instruction.raw.imm[0];
    if (more.size) out_.lea(kRsp, kRsp, kNone, 1, static_cast<int32_t>(more.value.u));
    find_and_jump();
  }

  // The target of an indirect jump or call, into rax.
  void load_target(const Decoded& d, const uint8_t* bytes, uint64_t address) {
    const auto& raw = d.instruction.raw;
    for (size_t i = 0; i < raw.prefix_count; i++) {
      if (bytes[i] == 0x64 || bytes[i] == 0x65) out_.put({bytes[i]});
    }
    uint8_t rex = static_cast<uint8_t>(0x48 | raw.rex.X << 1 | raw.rex.B);
    out_.put({rex, 0x8b, static_cast<uint8_t>(bytes[raw.modrm.offset] & ~0x38)});
    size_t rest = raw.modrm.offset + 1u;
    if (raw.modrm.mod == 0 && raw.modrm.rm == 5) {
      out_.put_relative(address + d.instruction.length + static_cast<uint64_t>(raw.disp.value));
    } else {
      out_.copy(bytes + rest, d.instruction.length - rest);
    }
  }

  // gs:target is the copy of what is at the address in rax, or that address. Changes flags, rax and rcx.
  void find() {
    out_.store_gs(kRax, kGsTarget);
    out_.lea_address(kRcx, code_.begin);
    out_.put({0x48, 0x29, 0xc8, 0x48, 0x3d});  // sub %rcx, %rax; cmp
    out_.put_number(static_cast<uint32_t>(entries_.size()));
    size_t outside = out_.jump_short(kJumpIfNotBelow);
    out_.lea_address(kRcx, at_);
    out_.put({0x8b, 0x04, 0x81, 0x85, 0xc0});  // mov (%rcx,%rax,4), %eax; test %eax, %eax
    size_t nowhere = out_.jump_short(kJumpIf);
    out_.put({0x48, 0x01, 0xc8});              // add %rcx, %rax
    out_.store_gs(kRax, kGsTarget);
    out_.land(nowhere);
    out_.land(outside);
  }
  void find_and_jump() {
    find();
    restore_scratch();
    out_.jump_gs(kGsTarget);
  }

  // Whether a jump may stand there: nobody comes to what it covers. After an instruction that ends a block, that could be
  // somebody who handles an exception.
  bool has_room(size_t start, uint64_t end) const {
    uint64_t address = starts_[start].address;
    if (address + kJumpBytes > end) return false;
    for (size_t i = start; i + 1 < starts_.size() && starts_[i + 1].address < address + kJumpBytes; i++) {
      if (starts_[i].ends_block || is_entered(starts_[i + 1].address)) return false;
    }
    return true;
  }
  bool is_entered(uint64_t address) const { return returns_.contains(address) || functions_.contains(address); }

  std::vector<uint8_t> patched(const StepCode::Section& section) const {
    std::vector<uint8_t> text(section.contents, section.contents + section.bytes);
    uint64_t end = section.address + section.bytes;
    auto first = std::lower_bound(starts_.begin(), starts_.end(), section.address,
                                  [](const Start& s, uint64_t a) { return s.address < a; });
    for (auto s = first; s != starts_.end() && s->address < end; ++s) text[s->address - section.address] = kBreakpoint;
    for (auto s = first; s != starts_.end() && s->address < end; ++s) {
      if (!is_entered(s->address) || !has_room(static_cast<size_t>(s - starts_.begin()), end)) continue;
      auto distance = static_cast<int32_t>(translated(s->address) - (s->address + kJumpBytes));
      text[s->address - section.address] = 0xe9;
      memcpy(text.data() + (s->address - section.address) + 1, &distance, sizeof distance);
    }
    return text;
  }

  std::vector<uint8_t> assemble() const {
    Translation header{};
    header.begin = code_.begin;
    header.end = code_.end();
    header.sites = sites_.address;
    header.sites_end = sites_.address + sites_.bytes;
    header.at = at_;
    header.code = code_offset_;
    header.origins = (code_offset_ + out_.bytes().size() + 7) / 8 * 8;
    header.origin_count = origins_.size();
    // What concerns all copies stands in the first.
    static const std::vector<Look> kNone;
    const std::vector<Look>& looks = place_.is_first ? wishes_.looks : kNone;
    uint64_t looks_at = header.origins + origins_.size() * sizeof(Origin), look_count = looks.size();
    header.bytes = looks_at + sizeof(LookTable) + look_count * sizeof(Look);
    header.contents = sizeof header;
    header.patches = header.contents + (header.bytes + 7) / 8 * 8;
    header.patch_count = code_.sections.size();
    std::vector<uint8_t> out(header.patches + header.patch_count * sizeof(TextPatch));
    uint8_t* copy = out.data() + header.contents;
    memcpy(copy, entries_.data(), entries_.size() * sizeof(uint32_t));
    memcpy(copy + header.code, out_.bytes().data(), out_.bytes().size());
    memcpy(copy + header.origins, origins_.data(), origins_.size() * sizeof(Origin));
    memcpy(copy + looks_at, &look_count, sizeof look_count);
    if (look_count) memcpy(copy + looks_at + sizeof(LookTable), looks.data(), look_count * sizeof(Look));
    add_patches(out, header);
    add_path(out, header);
    header.lines = out.size();
    header.line_count = place_.is_first ? wishes_.lines.size() : 0;
    header.by_lines = wishes_.once == Once::kLines;
    memcpy(out.data(), &header, sizeof header);
    if (!place_.is_first) return out;
    auto* lines = reinterpret_cast<const uint8_t*>(wishes_.lines.data());
    out.insert(out.end(), lines, lines + wishes_.lines.size() * sizeof(uint64_t));
    add_order(out);
    return out;
  }
  void add_patches(std::vector<uint8_t>& out, const Translation& header) const {
    for (size_t i = 0; i < code_.sections.size(); i++) {
      const StepCode::Section& section = code_.sections[i];
      TextPatch patch{section.address, section.bytes, out.size()};
      memcpy(out.data() + header.patches + i * sizeof patch, &patch, sizeof patch);
      std::vector<uint8_t> text = patched(section);
      out.insert(out.end(), text.begin(), text.end());
    }
    out.resize((out.size() + 7) / 8 * 8);
  }
  void add_path(std::vector<uint8_t>& out, Translation& header) const {
    if (place_.library.empty()) return;
    header.library = out.size();
    const char* path = place_.library.c_str();
    out.insert(out.end(), path, path + place_.library.size() + 1);
    out.resize((out.size() + 7) / 8 * 8);
  }
  // As order_entries.h has it.
  void add_order(std::vector<uint8_t>& out) const {
    std::vector<uint64_t> table = {wishes_.order.size(), 0};
    for (const auto& entries : wishes_.order) table.push_back(table.back() + entries.size());
    auto add = [&out](const auto& numbers) {
      auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
      out.insert(out.end(), bytes, bytes + numbers.size() * sizeof(numbers[0]));
    };
    add(table);
    for (const auto& entries : wishes_.order) add(entries);
  }

  TranslationPlace place_;
  ElfFile::Section sites_{};
  std::vector<uint32_t> entries_;
  std::vector<Start> starts_;
  std::vector<std::pair<size_t, uint64_t>> jumps_;  // place of a distance, and the address of the program that it is to
  std::unordered_set<uint64_t> functions_, returns_;
  std::unordered_set<uint64_t> checks_;
  std::unordered_set<uint64_t> returning_;  // other functions of the runtime that come back to the copy
  AccessRuns runs_;
  std::vector<AskedRun> asked_;
  TellingFunctions telling_;
  ZydisDecoder decoder_;
};

}  // namespace

std::vector<uint8_t> translate(const StepCode& code, const ElfFile& program, uint64_t base,
                               const TranslationWishes& wishes, const TranslationPlace& place) {
  return Translator(code, program, base, wishes, place).run();
}

std::vector<uint8_t> join_translations(const std::vector<std::vector<uint8_t>>& all) {
  std::vector<uint8_t> out;
  for (const std::vector<uint8_t>& each : all) {
    size_t at = out.size();
    out.insert(out.end(), each.begin(), each.end());
    if (&each == &all.back()) break;
    out.resize((out.size() + 7) / 8 * 8);
    uint64_t next = out.size() - at;
    memcpy(out.data() + at + offsetof(Translation, next), &next, sizeof next);
  }
  return out;
}

}  // namespace ana
