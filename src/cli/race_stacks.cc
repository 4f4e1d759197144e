#include "cli/race_stacks.h"

namespace ana {

namespace {

using races::Access;
using races::AccessKind;
using races::Race;

AccessName name_of(const Access& access) { return {access.slot, access.count, access.site, access.address}; }

// Of each access the first time that it is looked at.
class LookSink final : public ToldSink {
 public:
  LookSink(std::map<AccessName, SeenAccess>& seen, size_t wanted) : seen_(seen), wanted_(wanted) {}

  void take(uint32_t slot, std::span<const LiveReference> events) override {
    if (slot >= present_.size()) present_.resize(slot + 1);
    for (const LiveReference& event : events) {
      if (event.told == kToldLook) {
        auto [at, added] = seen_.try_emplace({slot, event.count, event.site, event.address()});
        present_[slot] = added ? &at->second : nullptr;
        if (added && event.has_value) at->second.value = event.value;
      } else if (event.told == kToldCall && present_[slot]) {
        present_[slot]->calls.push_back(event.site);
      } else if (event.told == kToldLooked && present_[slot]) {
        present_[slot] = nullptr;
        complete_++;
      }
    }
  }
  bool has_enough() const override { return complete_ == wanted_; }

 private:
  std::map<AccessName, SeenAccess>& seen_;
  size_t wanted_, complete_ = 0;
  std::vector<SeenAccess*> present_;  // of each slot: what is being told
};

void add_value(Access& access, const std::map<AccessName, SeenAccess>& seen) {
  auto at = seen.find(name_of(access));
  if (access.has_value || at == seen.end() || !at->second.value) return;
  access.value = *at->second.value;
  access.has_value = true;
}

}  // namespace

void add_stacks(ToldReplay& replay, ThreadRaces& races) {
  std::map<AccessName, Look> wanted;
  for (const Race& race : races.found) {
    for (const Access* access : {&race.first, &race.second}) {
      if (access->kind == AccessKind::free) continue;  // nobody looks there
      wanted.try_emplace(name_of(*access),
                         Look{access->site, access->count, access->address, access->slot, access->bytes, {}});
    }
  }
  std::vector<Look> looks;
  for (const auto& [name, look] : wanted) looks.push_back(look);
  LookSink sink(races.seen, looks.size());
  if (!replay.look(looks, sink)) return races.seen.clear();
  for (Race& race : races.found) {
    add_value(race.first, races.seen);
    add_value(race.second, races.seen);
  }
}

const std::vector<uint64_t>* calls_of(const Access& access, const ThreadRaces& races) {
  auto at = races.seen.find(name_of(access));
  return at == races.seen.end() ? nullptr : &at->second.calls;
}

}  // namespace ana
