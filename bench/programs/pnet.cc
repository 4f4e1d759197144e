// Maximum flow through a network of n nodes, by pushing excess to lower neighbours and lifting nodes that have none.
// Nodes with excess are in a shared pool; a push locks its two nodes, so that sharing is as fine as can be.
#include <algorithm>

#include "bench.h"

struct Edge {
  int to, back;  // back: the index of the opposite edge
  int room;      // how much more can go this way; changed with both ends locked
};
struct Node {
  bench::SpinLock lock;
  std::atomic<int> height{0};  // changed with the node locked
  int64_t excess = 0;
  bool pooled = false;
  std::vector<int> out;
};

static int nodes, source, sink;
static std::vector<Node> network;
static std::vector<Edge> edges;
static std::vector<int> capacities;  // of the edges as they were
static bench::WorkPool<int> active;

static void connect(int from, int to, int capacity) {
  int edge = static_cast<int>(edges.size());
  network[from].out.push_back(edge);
  network[to].out.push_back(edge + 1);
  edges.push_back({to, edge + 1, capacity});
  edges.push_back({from, edge, 0});
}

// Moves what it can over an edge that goes one step down. True if the receiver must be put into the pool.
static bool push(int from, int edge) {
  int to = edges[edge].to;
  bench::Locked<bench::SpinLock> lower(network[std::min(from, to)].lock), upper(network[std::max(from, to)].lock);
  Node &giver = network[from], &taker = network[to];
  int amount = static_cast<int>(std::min<int64_t>(giver.excess, edges[edge].room));
  if (amount <= 0 || giver.height.load(std::memory_order_relaxed) != taker.height.load(std::memory_order_relaxed) + 1)
    return false;
  edges[edge].room -= amount;
  edges[edges[edge].back].room += amount;
  giver.excess -= amount;
  taker.excess += amount;
  bool wakes = to != source && to != sink && !taker.pooled;
  if (wakes) taker.pooled = true;
  return wakes;
}

// With the node locked: an edge down that has room, or -1 once the node has been lifted to where it will have one.
// Neighbours may rise meanwhile, which makes the new height too low at worst.
static int lift(Node& node) {
  int lowest = INT32_MAX, height = node.height.load(std::memory_order_relaxed);
  for (int edge : node.out) {
    if (edges[edge].room == 0) continue;
    int below = network[edges[edge].to].height.load(std::memory_order_relaxed);
    if (below + 1 == height) return edge;
    lowest = std::min(lowest, below);
  }
  if (lowest + 1 > height) node.height.store(lowest + 1, std::memory_order_relaxed);
  return -1;
}

static void discharge(int at) {
  Node& node = network[at];
  for (;;) {
    int edge;
    {
      bench::Locked<bench::SpinLock> locked(node.lock);
      if (node.excess == 0) {
        node.pooled = false;
        return;
      }
      edge = lift(node);
    }
    if (edge >= 0 && push(at, edge)) active.put(edges[edge].to);
  }
}

static void body(int) {
  int at;
  while (active.take(at)) {
    bench::saw(static_cast<uint64_t>(at));
    discharge(at);
    active.finished();
  }
}

// Nodes in `order` of their distance from `start`, over edges with room towards them (backwards) or away from them.
static std::vector<int> distances(int start, bool backwards) {
  std::vector<int> distance(nodes, -1), order = {start};
  distance[start] = 0;
  for (size_t i = 0; i < order.size(); i++)
    for (int edge : network[order[i]].out) {
      int to = edges[edge].to;
      if (distance[to] >= 0 || edges[backwards ? edges[edge].back : edge].room == 0) continue;
      distance[to] = distance[order[i]] + 1;
      order.push_back(to);
    }
  return distance;
}

// Flow is conserved and within capacity, and no path with room is left from source to sink, so there is no larger one.
static void check_flow() {
  std::vector<int64_t> balance(nodes);
  for (size_t edge = 0; edge < edges.size(); edge++) {
    bench::check(edges[edge].room >= 0, "edge %zu has more flow than it can", edge);
    balance[edges[edge].to] += capacities[edge] - edges[edge].room;
  }
  for (int i = 0; i < nodes; i++) {
    // Each flow counts once forwards at its end and once, negative, at its start.
    bench::check(balance[i] == (i == source ? -network[sink].excess : i == sink ? network[sink].excess : 0),
                 "node %d keeps %lld", i, static_cast<long long>(balance[i]));
  }
  bench::check(distances(source, false)[sink] < 0, "more could flow");
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  nodes = bench::size(150000, 1.3, 8);
  source = 0;
  sink = nodes - 1;
  network = std::vector<Node>(nodes);
  uint64_t random = bench::random_state(47);
  int reach = std::max(2, nodes / 12);  // the first nodes are fed by the source, the last feed the sink
  for (int i = 1; i < sink; i++) {
    if (i <= reach) connect(source, i, 1 + bench::random_below(random, 100));
    if (i >= sink - reach) connect(i, sink, 1 + bench::random_below(random, 300));
    for (int k = 0; k < 4; k++) {
      int to = i + 1 + bench::random_below(random, reach);
      if (to < sink) connect(i, to, 1 + bench::random_below(random, 150));
    }
  }
  for (const Edge& edge : edges) capacities.push_back(edge.room);
  std::vector<int> distance = distances(sink, true);
  for (int i = 0; i < nodes; i++) network[i].height = i == source ? nodes : std::max(distance[i], 0);
  for (int edge : network[source].out) {
    int to = edges[edge].to, amount = edges[edge].room;
    edges[edge].room = 0;
    edges[edges[edge].back].room += amount;
    network[to].excess += amount;
    if (to == sink || network[to].pooled || amount == 0) continue;
    network[to].pooled = true;
    active.put(to);
  }
  bench::run(body);
  check_flow();
  return bench::finish(static_cast<uint64_t>(network[sink].excess));
}
