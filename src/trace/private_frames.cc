#include "trace/private_frames.h"

#include <Zydis/Zydis.h>

#include <algorithm>

namespace ana {

namespace {

bool is_stack_pointer(ZydisRegister r) {
  return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r) == ZYDIS_REGISTER_RSP;
}

// Takes an address of the frame, or moves it by what is not known here.
bool takes_address(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands) {
  bool moves = instruction.mnemonic == ZYDIS_MNEMONIC_ADD || instruction.mnemonic == ZYDIS_MNEMONIC_SUB ||
               instruction.mnemonic == ZYDIS_MNEMONIC_AND;
  bool by_number = moves && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  for (size_t i = 0; i < instruction.operand_count_visible; i++) {
    const ZydisDecodedOperand& o = operands[i];
    if (o.type == ZYDIS_OPERAND_TYPE_REGISTER && is_stack_pointer(o.reg.value) && !by_number) return true;
    bool computes = o.type == ZYDIS_OPERAND_TYPE_MEMORY && instruction.mnemonic == ZYDIS_MNEMONIC_LEA;
    if (computes && is_stack_pointer(o.mem.base)) return true;
  }
  return false;
}

bool is_part(const ElfFile::Symbol& function) { return function.name.find(".cold") != std::string_view::npos; }

}  // namespace

PrivateFrames::PrivateFrames(const StepCode& code, const ElfFile& program, uint64_t base) {
  for (const ElfFile::Symbol& f : program.functions())
    if (f.bytes) functions_.push_back({base + f.address, base + f.address + f.bytes, is_part(f), !is_part(f)});
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin || (a.begin == b.begin && a.end > b.end); });
  // Those that overlap are one.
  std::vector<Function> apart;
  for (const Function& f : functions_) {
    if (apart.empty() || f.begin >= apart.back().end) apart.push_back(f);
    else apart.back() = {apart.back().begin, std::max(apart.back().end, f.end), apart.back().is_part || f.is_part,
                         apart.back().is_private && f.is_private};
  }
  functions_ = std::move(apart);
  for (const StepCode::Section& section : code.sections) look(section);
}

void PrivateFrames::look(const StepCode::Section& section) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  for (uint64_t into = 0; into < section.bytes; into += instruction.length) {
    uint64_t address = section.address + into;
    Function* function = find(address);
    const uint8_t* bytes = section.contents + into;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, section.bytes - into, &instruction, operands))) {
      if (function) function->is_private = false;
      instruction.length = 1;
      continue;
    }
    if (function && takes_address(instruction, operands)) function->is_private = false;
    bool jumps = instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE && instruction.mnemonic != ZYDIS_MNEMONIC_CALL &&
                 operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    if (!jumps) continue;
    // To a part that the compiler has put elsewhere: the frame is used there, too. Else it is gone when another begins.
    uint64_t to = address + instruction.length + static_cast<uint64_t>(operands[0].imm.value.s);
    Function* target = find(to);
    if (target == function || (target && target->begin == to && !target->is_part)) continue;
    if (function) function->is_private = false;
    if (target) target->is_private = false;
  }
}

PrivateFrames::Function* PrivateFrames::find(uint64_t address) {
  auto behind = std::upper_bound(functions_.begin(), functions_.end(), address,
                                 [](uint64_t at, const Function& f) { return at < f.begin; });
  return behind != functions_.begin() && address < behind[-1].end ? &behind[-1] : nullptr;
}

bool PrivateFrames::contains(uint64_t address) const {
  const Function* function = const_cast<PrivateFrames*>(this)->find(address);
  return function && function->is_private;
}

}  // namespace ana
