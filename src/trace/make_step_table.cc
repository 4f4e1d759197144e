#include "trace/make_step_table.h"

#include <Zydis/Zydis.h>
#include <string.h>
#include <sys/ucontext.h>

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "trace/known_operands.h"
#include "trace/step_table.h"

namespace ana {

namespace {

// Code that is not the program's: of the runtime, of the dynamic loader.
constexpr const char* kForeign[] = {"ana_runtime", ".plt", ".plt.got", ".plt.sec", ".init", ".fini"};

constexpr uint8_t kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

uint8_t register_of(ZydisRegister r) {
  bool known = r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15;
  return known ? kRegisters[r - ZYDIS_REGISTER_RAX] : kNoRegister;
}

bool is_bit_test(ZydisMnemonic m) {
  return m == ZYDIS_MNEMONIC_BT || m == ZYDIS_MNEMONIC_BTS || m == ZYDIS_MNEMONIC_BTR || m == ZYDIS_MNEMONIC_BTC;
}

// Instructions that name memory and do not access it.
bool is_hint(const ZydisDecodedInstruction& i) {
  return i.mnemonic == ZYDIS_MNEMONIC_NOP || i.meta.category == ZYDIS_CATEGORY_PREFETCH ||
         i.meta.category == ZYDIS_CATEGORY_WIDENOP || i.mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
}

bool writes(const ZydisDecodedOperand& operand) { return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0; }

class TableMaker {
 public:
  TableMaker(uint64_t begin, uint64_t end) : begin_(begin), index_(end - begin, kStepPlain) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  void add_section(const uint8_t* code, uint64_t address, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes;) {
      index_[address - begin_ + at] = kStepUnknown;
      ZydisDecodedInstruction instruction;
      ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code + at, bytes - at, &instruction, operands))) {
        at++;
        continue;
      }
      index_[address - begin_ + at] = add(instruction, operands, address + at);
      for (uint64_t i = 1; i < instruction.length; i++) index_[address - begin_ + at + i] = kStepNothing;
      at += instruction.length;
    }
  }

  StepCode take() && { return {begin_, std::move(index_), std::move(operands_), {}}; }

 private:
  uint32_t add(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands, uint64_t address) {
    if (is_hint(instruction)) return kStepPlain;
    size_t first = operands_.size();
    for (bool writing : {false, true}) {  // an instruction reads before it writes
      for (uint8_t i = 0; i < instruction.operand_count; i++) {
        const ZydisDecodedOperand& operand = operands[i];
        if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) continue;
        if (is_private(operand) || writes(operand) != writing) continue;
        if (!add_operand(instruction, operands, operand, address)) {
          operands_.resize(first);
          return kStepUnknown;
        }
      }
    }
    if (operands_.size() == first) return kStepPlain;
    operands_.back().last = 1;
    return static_cast<uint32_t>(first) + kStepFirstOperand;
  }

  // The stack as push, pop, call and return use it; the runtime's state, which gs points to; the thread's control block.
  static bool is_private(const ZydisDecodedOperand& operand) {
    const ZydisDecodedOperandMem& memory = operand.mem;
    if (memory.segment == ZYDIS_REGISTER_GS) return true;
    if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && memory.base == ZYDIS_REGISTER_RSP) return true;
    return memory.segment == ZYDIS_REGISTER_FS && memory.base == ZYDIS_REGISTER_NONE &&
           memory.index == ZYDIS_REGISTER_NONE && memory.disp.value >= 0;
  }

  bool add_operand(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands,
                   const ZydisDecodedOperand& operand, uint64_t address) {
    const ZydisDecodedOperandMem& memory = operand.mem;
    if (memory.type != ZYDIS_MEMOP_TYPE_MEM || instruction.address_width != 64 || operand.size == 0 ||
        operand.size % 8 != 0 || operand.size / 8 > UINT16_MAX)
      return false;
    StepOperand out{};
    out.displacement = memory.disp.has_displacement ? memory.disp.value : 0;
    out.bytes = static_cast<uint16_t>(operand.size / 8);
    out.base = register_of(memory.base);
    out.index = register_of(memory.index);
    out.scale = memory.scale;
    out.bit = kNoRegister;
    if (memory.base == ZYDIS_REGISTER_RIP) {
      out.displacement += static_cast<int64_t>(address + instruction.length);
    } else if ((memory.base != ZYDIS_REGISTER_NONE && out.base == kNoRegister) ||
               (memory.index != ZYDIS_REGISTER_NONE && out.index == kNoRegister)) {
      return false;
    }
    if (is_bit_test(instruction.mnemonic) && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
      out.bit = register_of(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[1].reg.value));
    out.writes = writes(operand);
    out.reads = out.writes && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    out.thread_local_ = memory.segment == ZYDIS_REGISTER_FS;
    constexpr ZyanU64 kRepeats = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    out.repeated = (instruction.attributes & kRepeats) != 0;
    out.locked = out.writes && ((instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
                                instruction.mnemonic == ZYDIS_MNEMONIC_XCHG);
    operands_.push_back(out);
    return true;
  }

  ZydisDecoder decoder_;
  uint64_t begin_;
  std::vector<uint32_t> index_;
  std::vector<StepOperand> operands_;
};

}  // namespace

Result<StepCode> read_step_code(const ElfFile& program, uint64_t base) {
  bool is_program = !program.position_independent() || !program.interpreter().empty();  // a library has no runtime
  if (is_program && !program.section(kForeign[0]))
    return Error{"was linked with an older version of Anaphora; link it again, and record again"};
  auto code = program.code_sections();
  std::erase_if(code, [](const ElfFile::NamedSection& s) {
    return std::any_of(std::begin(kForeign), std::end(kForeign), [&](const char* name) { return s.name == name; });
  });
  if (code.empty()) return Error{"has no section headers, so its code cannot be found"};
  std::sort(code.begin(), code.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  if (!program.position_independent()) base = 0;
  uint64_t begin = UINT64_MAX, end = 0;
  for (const auto& s : code) {
    begin = std::min(begin, s.address);
    end = std::max(end, s.address + s.bytes);
  }
  TableMaker maker(base + begin, base + end);
  for (const auto& s : code) maker.add_section(program.at(s.address, s.bytes), base + s.address, s.bytes);
  StepCode out = std::move(maker).take();
  for (const auto& s : code) out.sections.push_back({base + s.address, s.bytes, program.at(s.address, s.bytes)});
  return out;
}

std::vector<KnownOperand> known_operands(const StepCode& code) {
  constexpr uint32_t kAtomic = ANA_SITE_ATOMIC | ANA_SITE_ACQUIRE | ANA_SITE_RELEASE;
  std::vector<KnownOperand> out(code.operands.size());
  for (uint64_t i = 0; i < code.index.size(); i++) {
    if (code.index[i] < kStepFirstOperand) continue;
    for (uint32_t n = code.index[i] - kStepFirstOperand;; n++) {
      const StepOperand& o = code.operands[n];
      uint32_t flags = (o.writes ? ANA_SITE_WRITE : ANA_SITE_READ) | (o.reads ? ANA_SITE_READ : 0);
      if (o.locked) flags |= ANA_SITE_READ | kAtomic;
      out[n] = {code.begin + i, flags, o.bytes, o.writes != 0};
      if (o.last) break;
    }
  }
  return out;
}

std::vector<uint8_t> make_step_table(const StepCode& code) {
  uint64_t index_bytes = (code.index.size() * sizeof(uint32_t) + 7) / 8 * 8;
  StepTable header{code.begin, code.end(), sizeof(StepTable) + index_bytes, 0, 0};
  std::vector<uint8_t> out(header.operands + code.operands.size() * sizeof(StepOperand));
  memcpy(out.data(), &header, sizeof header);
  memcpy(out.data() + sizeof header, code.index.data(), code.index.size() * sizeof(uint32_t));
  if (!code.operands.empty())
    memcpy(out.data() + header.operands, code.operands.data(), code.operands.size() * sizeof(StepOperand));
  return out;
}

void set_places(std::vector<uint8_t>& table, const std::vector<StepPlace>& places) {
  StepTable header;
  memcpy(&header, table.data(), sizeof header);
  header.places = table.size();
  header.place_count = places.size();
  memcpy(table.data(), &header, sizeof header);
  auto* bytes = reinterpret_cast<const uint8_t*>(places.data());
  table.insert(table.end(), bytes, bytes + places.size() * sizeof(StepPlace));
}

}  // namespace ana
