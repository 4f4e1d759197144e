// Shortest paths from one of n nodes of a complete graph to all others, by Dijkstra's algorithm on a matrix of lengths.
// Each step fixes one node; the others are dealt out in stretches to be reached through it, and the nearest of them,
// found under a lock, is the next.
#include "bench.h"

constexpr int kStretch = 32, kFar = 1 << 29;
static int nodes;
static std::vector<int> lengths;  // [from][to]
static std::vector<int> distances;
static std::vector<char> fixed;

// Steps alternate between two of these, so that one can be made ready while the other is in use.
struct Step {
  bench::Dealer dealer;
  bench::SpinLock lock;
  int nearest, distance;
  void restart() {
    dealer.restart(nodes);
    nearest = -1;
    distance = kFar;
  }
};
static Step steps[2];
static int current;  // the node fixed last

static void reach(bench::Part stretch, int& nearest, int& distance) {
  for (int i = stretch.first; i < stretch.last; i++) {
    if (fixed[i]) continue;
    int through = distances[current] + lengths[static_cast<size_t>(current) * nodes + i];
    if (through < distances[i]) distances[i] = through;
    if (distances[i] >= distance) continue;
    distance = distances[i];
    nearest = i;
  }
}

static void body(int index) {
  for (int count = 1; count < nodes; count++) {
    Step& step = steps[count & 1];
    int nearest = -1, distance = kFar;
    for (bench::Part next = step.dealer.take(kStretch); next.first < next.last; next = step.dealer.take(kStretch))
      reach(next, nearest, distance);
    {
      bench::Locked<bench::SpinLock> locked(step.lock);
      if (distance < step.distance) {
        step.distance = distance;
        step.nearest = nearest;
      }
    }
    bench::spin_barrier();
    if (index == 0) {
      current = step.nearest;
      fixed[current] = 1;
      steps[~count & 1].restart();
    }
    bench::spin_barrier();
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  nodes = bench::size(7000, 2, 2);
  lengths.resize(static_cast<size_t>(nodes) * nodes);
  distances.assign(nodes, kFar);
  fixed.resize(nodes);
  uint64_t random = bench::random_state(59);
  for (auto& length : lengths) length = 1 + bench::random_below(random, 100000);
  distances[0] = 0;
  fixed[0] = 1;
  steps[1].restart();
  bench::run(body);
  uint64_t sum = 0;
  for (int to = 0; to < nodes; to++) {
    bool reached = to == 0;
    for (int from = 0; from < nodes; from++) {
      int through = distances[from] + lengths[static_cast<size_t>(from) * nodes + to];
      bench::check(distances[to] <= through, "%d is nearer through %d", to, from);
      reached |= through == distances[to];
    }
    bench::check(reached, "%d is said to be at %d, but no path is so short", to, distances[to]);
    sum = bench::mix(sum, static_cast<uint64_t>(distances[to]));
  }
  return bench::finish(sum);
}
