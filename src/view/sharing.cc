#include "view/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "trace/references.h"

namespace ana::view {

namespace {

constexpr uint32_t kLineBytes = 64;

// Bytes of a line, a bit each.
struct Used {
  uint64_t read = 0, written = 0;

  // Whether two accesses to the line must be in order if the line is what is ordered.
  bool conflicts(const Used& other) const {
    return (written != 0 && (other.read | other.written) != 0) || (other.written != 0 && read != 0);
  }
  bool overlaps(const Used& other) const {
    return (written & (other.read | other.written)) != 0 || (other.written & read) != 0;
  }
  void add(const Used& other) {
    read |= other.read;
    written |= other.written;
  }
};

uint64_t bytes_between(uint64_t first, uint64_t last) { return (~uint64_t{0} >> (63 - (last - first))) << first; }

class SharingFinder {
 public:
  explicit SharingFinder(Picture& picture) : picture_(picture) {
    for (uint32_t lane = 0; lane < picture.lanes.size(); lane++) {
      for (Event& event : picture.lanes[lane].events) {
        if (event.kind == Kind::kAccess) sinks_[key(lane, event.count)].push_back(&event);
      }
    }
  }

  void add(const ReferenceRow& row, uint64_t serial) {
    if (row.thread >= picture_.lanes.size()) return;
    auto at_count = sinks_.find(key(row.thread, serial));
    uint64_t end = row.address + row.size;
    for (uint64_t at = row.address; at < end;) {
      uint64_t line = at / kLineBytes, next = std::min(end, (line + 1) * kLineBytes);
      uint64_t bytes = bytes_between(at % kLineBytes, (next - 1) % kLineBytes);
      Used used{row.kind == ReferenceKind::write ? 0 : bytes, row.kind == ReferenceKind::read ? 0 : bytes};
      std::vector<LineUse>& uses = lines_[line];
      if (at_count != sinks_.end()) {
        for (Event* event : at_count->second) judge(*event, uses, used, at);
      }
      note(uses, row.thread, used);
      at = next;
    }
  }

 private:
  // What a thread did with a line since another one wrote there.
  struct LineUse {
    uint32_t lane;
    Used used;
  };

  static uint64_t key(uint32_t lane, uint64_t count) { return count << 10 | lane; }

  static void judge(Event& event, const std::vector<LineUse>& uses, const Used& used, uint64_t address) {
    for (const LineUse& other : uses) {
      if (other.lane != event.from_lane || !used.conflicts(other.used)) continue;
      Sharing found = used.overlaps(other.used) ? Sharing::kSame : Sharing::kNeighbours;
      if (event.sharing == Sharing::kSame) return;
      event.sharing = found;
      event.address = address;
    }
  }

  static void note(std::vector<LineUse>& uses, uint32_t lane, const Used& used) {
    auto own = std::find_if(uses.begin(), uses.end(), [&](const LineUse& use) { return use.lane == lane; });
    if (own == uses.end()) own = uses.insert(uses.end(), {lane, {}});
    own->used.add(used);
    if (used.written == 0) return;
    // Who comes now is ordered after this write, not after what was there before.
    LineUse kept = *own;
    uses.assign(1, kept);
  }

  Picture& picture_;
  std::unordered_map<uint64_t, std::vector<Event*>> sinks_;
  std::unordered_map<uint64_t, std::vector<LineUse>> lines_;
};

}  // namespace

Status find_sharing(const std::string& references, Picture& picture, const Progress& progress) {
  auto reader = ReferenceReader::open(references);
  if (!reader) return reader.error();
  SharingFinder finder(picture);
  for (ReferenceBlock block;;) {
    auto more = reader->next(block);
    if (!more) return more.error();
    if (!*more) return {};
    if (block.serials.empty())
      return Error{references + " does not say which event each reference belongs to; `anaphora replay -a --trace-all` "
                   "writes files that do"};
    for (size_t i = 0; i < block.rows.size(); i++) finder.add(block.rows[i], block.serials[i]);
    if (progress) progress(reader->position(), reader->file_bytes());
  }
}

}  // namespace ana::view
