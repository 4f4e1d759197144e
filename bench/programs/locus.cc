// A router of n wires for standard cells, in the manner of LocusRoute. A grid of channels and columns counts the wires
// that pass each cell; a wire takes the cheapest of the paths with at most two bends between its pins, and is ripped up
// and routed again in a second iteration. Wires are dealt out; the grid has no locks, so that threads see each other's
// wires too early or too late and lose counts: the checksum differs from run to run.
#include <algorithm>

#include "bench.h"

struct Pin {
  int channel, column;
};

// From one pin to the other: along `first.channel` to `bend`, across to `last.channel`, and on (across_first false); or
// across at first.column to the channel `bend`, along it, and across at last.column.
struct Wire {
  Pin first, last;
  bool routed, across_first;
  int bend;
};

constexpr int kChannels = 20, kIterations = 2;
static int columns;
static std::vector<int> grid;  // [channel][column]
static std::vector<Wire> wires;
static bench::Dealer dealers[kIterations];

// Calls `visit` with each cell of the wire, each once.
template <class Visit>
static void walk(const Wire& wire, Visit visit) {
  auto along = [&](int channel, int from, int to) {
    for (int column = std::min(from, to); column <= std::max(from, to); column++) visit(channel * columns + column);
  };
  auto across = [&](int column, int from, int to) {  // without its ends
    for (int at = std::min(from, to) + 1; at < std::max(from, to); at++) visit(at * columns + column);
  };
  const Pin &a = wire.first, &b = wire.last;
  if (!wire.across_first) {
    along(a.channel, a.column, wire.bend);
    across(wire.bend, a.channel, b.channel);
    if (a.channel != b.channel)
      along(b.channel, wire.bend, b.column);
    else if (wire.bend != b.column)
      along(b.channel, wire.bend + (b.column > wire.bend ? 1 : -1), b.column);
    return;
  }
  if (wire.bend != a.channel) visit(a.channel * columns + a.column);
  across(a.column, a.channel, wire.bend);
  along(wire.bend, a.column, b.column);
  across(b.column, wire.bend, b.channel);
  if (wire.bend != b.channel) visit(b.channel * columns + b.column);
}

static int cost(const Wire& wire) {
  int sum = 0;
  walk(wire, [&](int cell) { sum += grid[cell]; });
  return sum;
}

static void mark(const Wire& wire, int amount) {
  walk(wire, [&](int cell) { grid[cell] += amount; });
}

static void route(Wire& wire) {
  if (wire.routed) mark(wire, -1);
  Wire best = wire;
  int least = INT32_MAX;
  auto consider = [&](bool across_first, int bend) {
    Wire path = wire;
    path.across_first = across_first;
    path.bend = bend;
    int price = cost(path);
    if (price < least) {
      least = price;
      best = path;
    }
  };
  auto [low, high] = std::minmax(wire.first.column, wire.last.column);
  for (int bend = low; bend <= high; bend++) consider(false, bend);
  auto [under, over] = std::minmax(wire.first.channel, wire.last.channel);
  for (int bend = under; bend <= over; bend++) consider(true, bend);
  best.routed = true;
  wire = best;
  mark(wire, 1);
  bench::saw(static_cast<uint64_t>(least));
}

static void body(int) {
  for (auto& dealer : dealers) {
    for (bench::Part next = dealer.take(); next.first < next.last; next = dealer.take()) route(wires[next.first]);
    bench::spin_barrier();
  }
}

// Pins of most wires are near each other.
static Pin near(const Pin& pin, uint64_t& random) {
  int reach = bench::random_below(random, 8) == 0 ? columns / 3 : columns / 16 + 1;
  int column = pin.column + bench::random_below(random, 2 * reach + 1) - reach;
  int channel = pin.channel + bench::random_below(random, 9) - 4;
  return {std::clamp(channel, 0, kChannels - 1), std::clamp(column, 0, columns - 1)};
}

// Every wire reaches from pin to pin in steps to a neighbouring cell; the counts are those of the wires, but for those
// that were lost.
static void check_routes(int64_t& lost) {
  std::vector<int> expected(grid.size());
  for (const Wire& wire : wires) {
    int cells = 0;
    bool inside = true;
    walk(wire, [&](int cell) {
      inside &= cell >= 0 && cell < static_cast<int>(grid.size());
      if (inside) expected[cell]++;
      cells++;
    });
    int distance = abs(wire.first.column - wire.last.column) + abs(wire.first.channel - wire.last.channel);
    bench::check(wire.routed && inside && cells == distance + 1, "wire %d has %d cells for a distance of %d",
                 static_cast<int>(&wire - wires.data()), cells, distance);
  }
  for (size_t cell = 0; cell < grid.size(); cell++) lost += abs(grid[cell] - expected[cell]);
  bench::check(bench::threads > 1 || lost == 0, "one thread lost %lld counts", static_cast<long long>(lost));
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  int count = bench::size(150000);
  columns = std::clamp(count, 64, 1024);
  grid.resize(kChannels * columns);
  uint64_t random = bench::random_state(37);
  for (int i = 0; i < count; i++) {
    Pin first = {bench::random_below(random, kChannels), bench::random_below(random, columns)};
    wires.push_back({first, near(first, random), false, false, 0});
  }
  for (auto& dealer : dealers) dealer.restart(count);
  bench::run(body);
  int64_t lost = 0;
  check_routes(lost);
  uint64_t sum = static_cast<uint64_t>(lost);
  for (int passing : grid) sum = bench::mix(sum, static_cast<uint64_t>(passing));
  return bench::finish(sum);
}
