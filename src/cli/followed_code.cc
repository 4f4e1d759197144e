#include "cli/followed_code.h"

#include <string.h>

#include <map>

#include "runtime/layout.h"
#include "trace/atomic_checks.h"
#include "trace/known_operands.h"
#include "trace/translation.h"

namespace ana {

namespace {

constexpr const char* kEveryAccess = "ana_every_access";
constexpr uint64_t kPage = 4096;
constexpr uint64_t kReach = (1ull << 31) - (16 << 20);  // of a displacement, and what it is added to

// Copies of libraries go below the region that the slot that mapped them maps things in: behind that of the slot before it,
// of which nothing but the very last is in use, if that.
class RoomForCopies {
 public:
  // Where one of such a library may begin; 0 if there is no room that is near enough.
  uint64_t for_library(uint64_t begin, uint64_t end) {
    if (begin < layout::kMappings || begin >= layout::kLargeMappings) return 0;
    region_ = (begin - layout::kMappings) / layout::kMappingsStride;
    uint64_t at = next_.try_emplace(region_, limit() - kRoom).first->second;
    return end - at <= kReach ? at : 0;
  }
  // Whether one of this length has room there; if so, it is taken.
  bool take(uint64_t bytes) {
    uint64_t& at = next_.at(region_);
    if (bytes > limit() - at) return false;
    at += (bytes + kPage - 1) / kPage * kPage;
    return true;
  }

 private:
  static constexpr uint64_t kRoom = 1 << 30;
  uint64_t limit() const { return layout::kMappings + region_ * layout::kMappingsStride - layout::kPatchesBytes; }

  std::map<uint64_t, uint64_t> next_;  // of regions
  uint64_t region_ = 0;
};

uint64_t bytes_of(const std::vector<uint8_t>& translation) {
  Translation header;
  memcpy(&header, translation.data(), sizeof header);
  return header.bytes;
}

}  // namespace

bool has_every_access(const TraceReader& reader, const Schedule& schedule) {
  auto has = [](const std::string& path) {
    auto elf = ElfFile::open(path);
    return elf && elf->section(kEveryAccess);
  };
  bool found = has(reader.program_file());
  for (const MappedLibrary& library : schedule.libraries.all()) found |= has(library.file);
  return found;
}

Result<FollowedCode> FollowedCode::read(const TraceReader& reader, const Schedule& schedule, Which which) {
  FollowedCode code;
  if (Status s = code.add(reader.program_file(), nullptr, which); !s) return s.error();
  for (const MappedLibrary& library : schedule.libraries.all()) {
    if (code.parts_.size() == kMostTranslations) break;
    if (Status s = code.add(library.file, &library, which); !s) return s.error();
  }
  return code;
}

Status FollowedCode::add(const std::string& path, const MappedLibrary* library, Which which) {
  auto elf = ElfFile::open(path);
  if (!elf) return elf.error();
  if (which == Which::kWithoutEveryAccess && elf->section(kEveryAccess)) return {};
  uint64_t base = library ? library->bias : layout::kProgram;
  auto code = read_step_code(*elf, base);
  if (!code) return Error{path + " " + code.error().text};
  parts_.push_back({library ? path : "", std::move(*elf), base, library ? library->end : 0, std::move(*code)});
  return {};
}

bool FollowedCode::have_fences() const {
  for (const Part& part : parts_)
    if (AtomicChecks(part.code, part.elf, part.base).has_fences()) return true;
  return false;
}

std::vector<KnownOperand> FollowedCode::operands_of(Part& part, const TranslationWishes& wishes, bool fences_elsewhere) {
  if (wishes.once == TranslationWishes::Once::kNothing) return known_operands(part.code);
  AtomicChecks atomics(part.code, part.elf, part.base, fences_elsewhere);
  if (!wishes.order.empty()) atomics.relax_counted();
  atomics.mark_relaxed(part.code);
  std::vector<KnownOperand> operands = known_operands(part.code);
  atomics.relax(operands);
  return operands;
}

Status FollowedCode::add_to(Schedule& schedule, const TranslationWishes& wishes) {
  std::vector<std::vector<uint8_t>> translations;
  std::vector<KnownOperand> operands;
  RoomForCopies room;
  bool fences = have_fences();
  for (Part& part : parts_) {
    TranslationPlace place;
    place.first_operand = static_cast<uint32_t>(operands.size());
    place.fences_elsewhere = fences;
    place.library = part.library;
    place.is_first = translations.empty();
    bool is_library = !part.library.empty();
    if (is_library && !(place.at = room.for_library(part.code.begin, part.end))) continue;
    std::vector<KnownOperand> more = operands_of(part, wishes, fences);
    std::vector<uint8_t> translation = translate(part.code, part.elf, part.base, wishes, place);
    if (is_library && !room.take(bytes_of(translation))) continue;
    operands.insert(operands.end(), more.begin(), more.end());
    translations.push_back(std::move(translation));
  }
  if (translations.empty()) return {};
  return add_translation(schedule, join_translations(translations), std::move(operands));
}

std::vector<Look> FollowedCode::with_operands(const Look& look) const {
  std::vector<Look> out;
  for (const Part& part : parts_) {
    const StepCode& code = part.code;
    uint32_t what = look.site >= code.begin && look.site < code.end() ? code.index[look.site - code.begin] : kStepPlain;
    if (what < kStepFirstOperand) continue;
    for (uint32_t n = what - kStepFirstOperand;; n++) {
      out.push_back(look);
      out.back().operand = code.operands[n];
      if (code.operands[n].last) break;
    }
  }
  if (out.empty()) out.push_back(look);
  return out;
}

}  // namespace ana
