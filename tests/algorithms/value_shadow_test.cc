// Replays by the shadow of values: whatever order the edges of rwtrace-1 leave, each read sees what it saw.
#include "algorithms/value_shadow.h"

#include <algorithm>
#include <cstring>

#include "cases.h"
#include "replay.h"

namespace ana::oracle {
namespace {

using namespace algorithms;
using Pairs = std::vector<std::pair<size_t, size_t>>;

// Publications are places in the total order, from 1.
struct Edges {
  std::vector<std::vector<size_t>> sources;  // of each event
  std::vector<uint32_t> named, come_to;      // how often an event is a source, and of these, how often so far

  Edges(const Execution& execution, const Pairs& pairs)
      : sources(execution.events.size()), named(execution.events.size()), come_to(execution.events.size()) {
    for (auto [source, sink] : pairs) {
      sources[sink].push_back(source);
      ++named[source];
    }
  }
  uint32_t publication(size_t event) const { return named[event] ? static_cast<uint32_t>(event) + 1 : 0; }
  bool awaited(ThreadIndex, uint32_t publication) const { return come_to[publication - 1] < named[publication - 1]; }
};

// The content of a granule is the place of the event that wrote it, from 1.
class ValueReplay : public Mechanism {
 public:
  ValueReplay(const Execution& execution, const Pairs& pairs)
      : execution_(execution), order_(execution, pairs), edges_(execution, pairs), shadow_(host_, edges_, 8),
        granules_(execution.granules), memory_(execution.granules), seen_(execution.threads * execution.granules) {
    std::vector<uint64_t> content(execution.granules);
    for (uint32_t i = 0; i < execution.granules; ++i) memory_[i] = content[i] = i % 2 ? 1000 + i : 0;
    for (size_t i = 0; i < execution.events.size(); ++i)
      for (const Access& a : execution.events[i].accesses) {
        recorded_.push_back(content[a.granule]);
        if (writes(a.kind)) content[a.granule] = i + 1;
      }
  }
  ~ValueReplay() override {
    for (auto& granule : granules_) shadow_.forget(granule);
    EXPECT_EQ(host_.used(), 0u);
  }

  bool may_run(size_t event) override { return order_.may_run(event); }
  void has_run(size_t event) override {
    order_.has_run(event);
    const Happening& happening = execution_.events[event];
    size_t access = 0;
    for (size_t i = 0; i < event; ++i) access += execution_.events[i].accesses.size();
    auto is_source = [&](ThreadIndex, uint32_t publication) {
      const auto& sources = edges_.sources[event];
      return std::find(sources.begin(), sources.end(), publication - 1) != sources.end();
    };
    for (const Access& a : happening.accesses) {
      uint64_t& seen = seen_[happening.thread * execution_.granules + a.granule];
      uint64_t value = memory_[a.granule];
      if (writes(a.kind)) {
        shadow_.overwrite(granules_[a.granule], seen, happening.thread, edges_.publication(event), &memory_[a.granule]);
        memory_[a.granule] = event + 1;
      } else if (const unsigned char* content = shadow_.present(granules_[a.granule], seen, is_source)) {
        std::memcpy(&value, content, sizeof value);
        ++shown_;
      }
      wrong_ += value != recorded_[access++];
    }
    for (size_t source : edges_.sources[event]) ++edges_.come_to[source];
  }

  uint64_t wrong() const { return wrong_; }
  uint64_t shown() const { return shown_; }

 private:
  const Execution& execution_;
  EdgeReplay order_;
  Edges edges_;
  ArenaHost host_;
  ValueShadow<ArenaHost, Edges> shadow_;
  std::vector<ValueShadow<ArenaHost, Edges>::Granule> granules_;
  std::vector<uint64_t> memory_, seen_, recorded_;
  uint64_t wrong_ = 0, shown_ = 0;
};

// Threads run as far as the edges let them, in any order; conflicts are not looked at.
void run_in_any_order(const Execution& execution, Mechanism& mechanism, std::mt19937_64& random) {
  std::vector<std::vector<size_t>> todo(execution.threads);
  for (size_t i = execution.events.size(); i-- > 0;) todo[execution.events[i].thread].push_back(i);
  for (size_t left = execution.events.size(); left > 0; --left) {
    std::vector<ThreadIndex> ready;
    for (ThreadIndex t = 0; t < execution.threads; ++t)
      if (!todo[t].empty() && mechanism.may_run(todo[t].back())) ready.push_back(t);
    ASSERT_FALSE(ready.empty()) << execution.text();
    ThreadIndex chosen = ready[random() % ready.size()];
    mechanism.has_run(todo[chosen].back());
    todo[chosen].pop_back();
  }
}

TEST(ValueShadow, EveryReadSeesWhatItSaw) {
  std::mt19937_64 random(31);
  uint64_t shown = 0;
  for (bool several : {false, true}) {
    each_random(32, 30000, several, [&](const Execution& execution) {
      for (const Traced& traced : {run_rwtrace<false>(execution), run_rwtrace<false, 1>(execution, false)}) {
        ValueReplay values(execution, as_pairs(execution, traced));
        run_in_any_order(execution, values, random);
        ASSERT_EQ(values.wrong(), 0u) << execution.text();
        shown += values.shown();
      }
    });
  }
  EXPECT_GT(shown, 10000u);  // or nothing has been tested
}

// Every event that a read has seen something of must be named, not only the latest of each thread.
TEST(ValueShadow, NeedsEveryEdge) {
  std::mt19937_64 random(33);
  uint64_t wrong = 0;
  each_random(34, 30000, true, [&](const Execution& execution) {
    Pairs all = as_pairs(execution, run_rwtrace<false>(execution)), latest;
    for (auto [source, sink] : all) {
      bool is_latest = std::none_of(all.begin(), all.end(), [&, from = source, to = sink](auto& e) {
        return e.second == to && e.first > from && execution.events[e.first].thread == execution.events[from].thread;
      });
      if (is_latest) latest.push_back({source, sink});
    }
    if (latest.size() == all.size()) return;
    ValueReplay values(execution, latest);
    run_in_any_order(execution, values, random);
    wrong += values.wrong();
  });
  EXPECT_GT(wrong, 100u);
}

}  // namespace
}  // namespace ana::oracle
