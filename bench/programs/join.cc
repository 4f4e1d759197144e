// Hash join of two relations of n tuples each: the first is put into a table of chains with a lock each, the second is
// dealt out in blocks and looked up. The order within a chain is that of arrival.
#include "bench.h"

struct Tuple {
  int key, value;
};

constexpr int kBlock = 64, kPerChain = 4;
static std::vector<Tuple> inner, outer;
static std::vector<int> heads, followers;  // indices of inner, -1 at the end
static std::vector<bench::SpinLock> locks;
static bench::Dealer blocks;
static bench::SpinLock total_lock;
static uint64_t matches, total;

static size_t chain_of(int key) { return static_cast<uint32_t>(key) * 2654435761u % heads.size(); }

static void build(bench::Part mine) {
  for (int i = mine.first; i < mine.last; i++) {
    if (i % kBlock == 0) bench::give_way();
    size_t chain = chain_of(inner[i].key);
    bench::Locked<bench::SpinLock> locked(locks[chain]);
    followers[i] = heads[chain];
    heads[chain] = i;
  }
}

static void body(int index) {
  build(bench::part(index, static_cast<int>(inner.size())));
  bench::spin_barrier();
  uint64_t found = 0, sum = 0;
  for (bench::Part block = blocks.take(kBlock); block.first < block.last; block = blocks.take(kBlock))
    for (int i = block.first; i < block.last; i++)
      for (int at = heads[chain_of(outer[i].key)]; at >= 0; at = followers[at])
        if (inner[at].key == outer[i].key) {
          bench::saw(static_cast<uint64_t>(at));
          found++;
          sum += static_cast<uint64_t>(inner[at].value) * static_cast<uint64_t>(outer[i].value);
        }
  bench::Locked<bench::SpinLock> locked(total_lock);
  matches += found;
  total += sum;
}

// The same join by adding up the values of each key in both relations.
static void check_join() {
  struct Sums {
    uint64_t inner_count, inner_values, outer_count, outer_values;
  };
  std::vector<Sums> keys(inner.size());
  for (const Tuple& tuple : inner) {
    keys[tuple.key].inner_count++;
    keys[tuple.key].inner_values += static_cast<uint64_t>(tuple.value);
  }
  for (const Tuple& tuple : outer) {
    keys[tuple.key].outer_count++;
    keys[tuple.key].outer_values += static_cast<uint64_t>(tuple.value);
  }
  uint64_t expected = 0, sum = 0;
  for (const Sums& key : keys) {
    expected += key.inner_count * key.outer_count;
    sum += key.inner_values * key.outer_values;
  }
  bench::check(matches == expected, "%llu pairs instead of %llu", static_cast<unsigned long long>(matches),
               static_cast<unsigned long long>(expected));
  bench::check(total == sum, "the pairs are other pairs");
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  int tuples = bench::size(3000000);
  inner.resize(tuples);
  outer.resize(tuples);
  uint64_t random = bench::random_state(31);
  for (auto* relation : {&inner, &outer})
    for (auto& tuple : *relation) tuple = {bench::random_below(random, tuples), bench::random_below(random, 1000)};
  heads.assign(tuples / kPerChain + 1, -1);
  followers.resize(tuples);
  locks = std::vector<bench::SpinLock>(heads.size());
  blocks.restart(tuples);
  bench::run(body);
  check_join();
  return bench::finish(total);
}
