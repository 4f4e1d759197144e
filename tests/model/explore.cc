// Explores the model of the ownership protocol: anaphora_model [--deep] [--mutations] [--verbose]. Exit status 0 if it
// holds, or with --mutations if every one of the known bugs was found.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ownership_model.h"

namespace ana {
namespace {

// Breadth first, so that what it finds it finds by a shortest way. States are known by a 64-bit hash.
class Explorer {
 public:
  Explorer(const Configuration& configuration, Mutation mutation, bool named)
      : stepper_(configuration, mutation, named) {}

  // What is wrong, or empty.
  std::string run() {
    State first = stepper_.initial();
    add(first, 0, 0);
    for (uint32_t at = 0; !queue_.empty(); ++at) {
      State s = queue_.front();
      queue_.pop_front();
      std::string wrong = stepper_.is_end(s) ? "" : visit(s, at);
      if (stepper_.is_end(s)) ends_.push_back(at);
      if (!wrong.empty()) return wrong + way_to(static_cast<uint32_t>(parent_.size()) - 1);
    }
    return find_trap();
  }

  size_t states() const { return parent_.size(); }

 private:
  std::string visit(const State& s, uint32_t at) {
    std::string wrong;
    u8 ordinal = 0;
    stepper_.successors(s, [&](const State& next, u8) {
      if (!wrong.empty()) return;
      uint32_t to = add(next, at, ordinal++);
      edges_.push_back({to, at});
      wrong = stepper_.error.empty() ? stepper_.violation(next) : stepper_.error;
      // A violating state seen before would have ended the search; an access without order may lead to a known state.
      if (!wrong.empty() && to + 1 != parent_.size()) append(at, ordinal - 1);
    });
    return wrong;
  }

  void append(uint32_t parent, u8 ordinal) {
    parent_.push_back(parent);
    ordinal_.push_back(ordinal);
  }

  uint32_t add(const State& s, uint32_t parent, u8 ordinal) {
    if ((parent_.size() + 1) * 2 > table_.size()) grow();
    uint64_t key = XXH3_64bits(&s, sizeof(s)) | 1;
    Entry& entry = find(key);
    if (entry.key) return entry.id;
    entry = {key, static_cast<uint32_t>(parent_.size())};
    append(parent, ordinal);
    queue_.push_back(s);
    return entry.id;
  }

  struct Entry {
    uint64_t key;
    uint32_t id;
  };
  Entry& find(uint64_t key) {
    size_t at = (key >> 1) & (table_.size() - 1);
    while (table_[at].key && table_[at].key != key) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }
  void grow() {
    std::vector<Entry> old(table_.empty() ? 1 << 16 : table_.size() * 2);
    old.swap(table_);
    for (const Entry& entry : old)
      if (entry.key) find(entry.key) = entry;
  }

  // A state from which no end can be reached, by going backwards from the ends.
  std::string find_trap() {
    std::vector<uint32_t> from(parent_.size() + 1);
    for (const auto& edge : edges_) ++from[edge.to];
    uint32_t sum = 0;
    for (uint32_t& n : from) sum += n, n = sum;
    std::vector<uint32_t> before(edges_.size());
    for (const auto& edge : edges_) before[--from[edge.to]] = edge.from;
    std::vector<bool> reaches(parent_.size());
    std::vector<uint32_t> open = ends_;
    for (uint32_t id : open) reaches[id] = true;
    while (!open.empty()) {
      uint32_t id = open.back();
      open.pop_back();
      for (uint32_t i = from[id]; i < from[id + 1]; ++i) {
        if (reaches[before[i]]) continue;
        reaches[before[i]] = true;
        open.push_back(before[i]);
      }
    }
    for (uint32_t id = 0; id < parent_.size(); ++id)
      if (!reaches[id]) return "the end cannot be reached any more" + way_to(id);
    return "";
  }

  std::string way_to(uint32_t id) {
    std::vector<u8> ordinals;
    for (; id; id = parent_[id]) ordinals.push_back(ordinal_[id]);
    std::string text = ", after";
    State s = stepper_.initial();
    while (!ordinals.empty()) {
      u8 wanted = ordinals.back(), ordinal = 0;
      ordinals.pop_back();
      State chosen = s;
      stepper_.successors(s, [&](const State& next, u8 who) {
        if (ordinal++ != wanted) return;
        const Thread& t = s.thread[who];
        text += "\n    thread " + std::to_string(who) + " " + kPcName[t.pc];
        bool acts = next.thread[who].left < t.left;
        if (t.pc == kIdle && acts) text += std::string(": ") + kAction[next.thread[who].action].name;
        if (t.pc == kIdle && !acts) text += " to end its epoch";
        chosen = next;
      });
      s = chosen;
    }
    return text;
  }

  struct Transition {
    uint32_t to, from;
  };
  Stepper stepper_;
  std::deque<State> queue_;
  std::vector<Entry> table_;
  std::vector<uint32_t> parent_, ends_;
  std::vector<u8> ordinal_;
  std::vector<Transition> edges_;
};

constexpr uint32_t bits() { return 0; }
template <class... Rest>
constexpr uint32_t bits(ActionId first, Rest... rest) {
  return 1u << first | bits(rest...);
}

// By size, roughly. The first finds most of the mutations; those in which threads sleep find one, and come last but for it.
constexpr Configuration kConfigurations[] = {
    {"2 threads, 1 line, one that comes back", 2, 1, {5, 1}, bits(kR0, kW0, kEndEpoch), false, false},
    {"2 threads, 1 line, everything", 2, 1, {2, 2}, bits(kR0, kW0, kBlock, kGiveUp, kEndEpoch), false, false},
    {"2 threads, 2 lines, long sleeps", 2, 2, {2, 2}, bits(kW0, kW1, kBlock), false, true},
    {"2 threads, 2 lines at once, who waits may sleep", 2, 2, {1, 1}, bits(kW0W1, kW1W0, kR0W1), false, false, false, true},
    {"2 threads, 2 lines", 2, 2, {2, 2}, bits(kR0, kW0, kW1), false, false},
    {"2 threads, 3 lines", 2, 3, {2, 2}, bits(kR0, kW1, kR2, kW2), false, false},
    {"3 threads, 1 line", 3, 1, {1, 1, 1}, bits(kR0, kW0, kBlock), false, false},
    {"2 threads, 1 line, epochs wrap", 2, 1, {2, 2}, bits(kR0, kW0), true, false},
    {"2 threads, 1 line, longer", 2, 1, {3, 3}, bits(kR0, kW0, kBlock), false, false},
    {"2 threads, 2 lines at once", 2, 2, {2, 2}, bits(kW0W1, kW1W0), false, false},
    {"2 threads, 2 lines, guesses", 2, 2, {2, 2}, bits(kW0G1, kR1G0, kW1, kEndEpoch), false, false},
    {"2 threads, a page of 2 lines", 2, 2, {2, 2}, bits(kR0, kW0, kR1, kW1), false, false, true},
    {"2 threads, a page, one that comes back", 2, 2, {4, 1}, bits(kR1, kW0, kW1, kEndEpoch), false, false, true},
    {"2 threads, a page of 2 lines, which block", 2, 2, {2, 2}, bits(kR0, kW1, kBlock, kGiveUp), false, false, true},
    {"2 threads, a page of 2 lines at once", 2, 2, {2, 1}, bits(kW0W1, kR0W1, kR1G0), false, false, true},
    {"2 threads, a page of 2 lines, epochs wrap", 2, 2, {2, 1}, bits(kR0, kW1), true, false, true},
    {"3 threads, a page of 2 lines", 3, 2, {1, 1, 1}, bits(kR0, kW0, kW1), false, false, true},
    {"3 threads, 2 lines, also at once", 3, 2, {1, 1, 1}, bits(kR0, kW0, kW0W1), false, false},
    {"2 threads, 1 line, who waits may sleep", 2, 1, {3, 2}, bits(kR0, kW0, kBlock), false, false, false, true},
    {"2 threads, a page, who waits may sleep", 2, 2, {2, 1}, bits(kW0, kR0W1, kR1), false, false, true, true},
    {"3 threads, 1 line, who waits may sleep", 3, 1, {1, 1, 1}, bits(kR0, kW0), false, false, false, true},
};
constexpr Configuration kDeep[] = {
    {"3 threads, 1 line, longer", 3, 1, {2, 1, 1}, bits(kR0, kW0), false, false},
    {"2 threads, 1 line, epochs wrap, longer", 2, 1, {3, 2}, bits(kR0, kW0), true, false},
    {"2 threads, a page of 2 lines at once, longer", 2, 2, {2, 2}, bits(kW0W1, kR0W1, kR1G0), false, false, true},
    {"2 threads, a page of 3 lines", 2, 3, {2, 2}, bits(kR0, kW0, kR1, kW1, kR2, kW2), false, false, true},
    {"3 threads, a page of 2 lines, longer", 3, 2, {2, 1, 1}, bits(kR0, kW0, kW1), false, false, true},
    {"2 threads, 1 line, much longer", 2, 1, {4, 4}, bits(kR0, kW0), false, false},
};

int check_all(std::span<const Configuration> configurations) {
  int failures = 0;
  for (const Configuration& configuration : configurations) {
    Explorer explorer(configuration, Mutation::kNone, false);
    std::string wrong = explorer.run();
    // Again with names, which takes longer but can be read.
    if (!wrong.empty()) wrong = ", " + Explorer(configuration, Mutation::kNone, true).run();
    printf("%s  %s: %zu states%s\n", wrong.empty() ? "pass" : "FAIL", configuration.name, explorer.states(),
           wrong.c_str());
    fflush(stdout);
    failures += !wrong.empty();
  }
  return failures;
}

// Each mutation has to be found by one of the configurations.
int check_mutations(bool verbose) {
  int failures = 0;
  for (u8 m = 1; m < static_cast<u8>(Mutation::kCount); ++m) {
    std::string wrong;
    const char* where = "";
    for (const Configuration& configuration : kConfigurations) {
      where = configuration.name;
      wrong = Explorer(configuration, static_cast<Mutation>(m), true).run();
      if (!wrong.empty()) break;
    }
    std::string shown = verbose ? wrong : wrong.substr(0, wrong.find(", after"));
    printf("%s  %s: %s (%s)\n", wrong.empty() ? "FAIL" : "pass", kMutationName[m],
           wrong.empty() ? "not found" : shown.c_str(), where);
    fflush(stdout);
    failures += wrong.empty();
  }
  return failures;
}

}  // namespace
}  // namespace ana

int main(int argc, char** argv) {
  bool mutations = false, verbose = false, deep = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    mutations |= argument == "--mutations";
    verbose |= argument == "--verbose";
    deep |= argument == "--deep";
  }
  int failures = mutations ? ana::check_mutations(verbose)
                           : ana::check_all(deep ? std::span<const ana::Configuration>(ana::kDeep)
                                : std::span<const ana::Configuration>(ana::kConfigurations));
  printf("%s\n", failures ? "the model does not hold" : "all as it should be");
  return failures ? 1 : 0;
}
