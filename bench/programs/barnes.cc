// Barnes and Hut's n-body simulation. All threads insert their bodies into one octree, locking a cell to change it; the
// cells' masses are added up bottom to top, and each body is pulled by cells that are far and bodies that are near.
#include <algorithm>

#include "bench.h"

struct Vector {
  double x, y, z;
  double& operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
  double operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};
struct Body {
  Vector position, velocity, pull;
  double mass;
};
// A child is 0 if there is none, else 1 + the number of a cell or -1 - the number of a body.
struct Cell {
  std::atomic<int> children[8];
  bench::SpinLock lock;
  Vector centre, weight_at;
  double half, mass;
  int bodies;
};

constexpr double kOpening = 0.6, kSoft = 1e-3, kTime = 0.002;
static int count, steps;
static std::vector<Body> bodies;
static std::unique_ptr<Cell[]> cells;
static std::atomic<int> used_cells;
static bench::Dealer dealers[2];

static int octant(const Cell& cell, const Vector& at) {
  return (at.x >= cell.centre.x) | (at.y >= cell.centre.y) << 1 | (at.z >= cell.centre.z) << 2;
}

static int new_cell(const Vector& centre, double half) {
  int number = used_cells.fetch_add(1, std::memory_order_relaxed);
  if (number >= 8 * count + 64) {
    fprintf(stderr, "the bodies are too close to each other for the tree\n");
    exit(2);
  }
  Cell& cell = cells[number];
  for (auto& child : cell.children) child.store(0, std::memory_order_relaxed);
  cell.centre = centre;
  cell.half = half;
  return number;
}

static int new_child(const Cell& parent, int side) {
  Vector centre = parent.centre;
  for (int k = 0; k < 3; k++) centre[k] += (side >> k & 1) != 0 ? parent.half / 2 : -parent.half / 2;
  return new_cell(centre, parent.half / 2);
}

static void insert(int body) {
  const Vector& at = bodies[body].position;
  for (Cell* cell = &cells[0];;) {
    int side = octant(*cell, at);
    int child = cell->children[side].load(std::memory_order_acquire);
    if (child <= 0) {
      bench::Locked<bench::SpinLock> locked(cell->lock);
      child = cell->children[side].load(std::memory_order_relaxed);
      if (child == 0) {
        cell->children[side].store(-1 - body, std::memory_order_release);
        return;
      }
      if (child < 0) {  // a body is here: put a cell between, with that body in it
        int number = new_child(*cell, side), inner_side = octant(cells[number], bodies[-1 - child].position);
        cells[number].children[inner_side].store(child, std::memory_order_relaxed);
        child = 1 + number;
        cell->children[side].store(child, std::memory_order_release);
      }
    }
    cell = &cells[child - 1];
  }
}

static void weigh(Cell& cell) {
  cell.mass = 0;
  cell.bodies = 0;
  cell.weight_at = {0, 0, 0};
  for (const auto& link : cell.children) {
    int child = link.load(std::memory_order_relaxed);
    if (child == 0) continue;
    if (child > 0) weigh(cells[child - 1]);
    double mass = child > 0 ? cells[child - 1].mass : bodies[-1 - child].mass;
    const Vector& at = child > 0 ? cells[child - 1].weight_at : bodies[-1 - child].position;
    for (int k = 0; k < 3; k++) cell.weight_at[k] += mass * at[k];
    cell.mass += mass;
    cell.bodies += child > 0 ? cells[child - 1].bodies : 1;
  }
  for (int k = 0; k < 3; k++) cell.weight_at[k] /= cell.mass;
}

static void add_pull(Vector& pull, const Vector& at, const Vector& from, double mass) {
  Vector d = {from.x - at.x, from.y - at.y, from.z - at.z};
  double square = d.x * d.x + d.y * d.y + d.z * d.z + kSoft;
  for (int k = 0; k < 3; k++) pull[k] += mass * d[k] / (square * sqrt(square));
}

static void gather(Vector& pull, int body, const Cell& cell) {
  const Vector& at = bodies[body].position;
  for (const auto& link : cell.children) {
    int child = link.load(std::memory_order_relaxed);
    if (child < 0 && child != -1 - body) add_pull(pull, at, bodies[-1 - child].position, bodies[-1 - child].mass);
    if (child <= 0) continue;
    const Cell& next = cells[child - 1];
    double square = 0;
    for (int k = 0; k < 3; k++) square += (next.weight_at[k] - at[k]) * (next.weight_at[k] - at[k]);
    if (4 * next.half * next.half < kOpening * kOpening * square)
      add_pull(pull, at, next.weight_at, next.mass);
    else
      gather(pull, body, next);
  }
}

static void start_tree() {
  double reach = 0;
  for (const Body& body : bodies)
    for (int k = 0; k < 3; k++) reach = fmax(reach, fabs(body.position[k]));
  used_cells = 0;
  new_cell({0, 0, 0}, reach * 1.0001);
}

static void body(int index) {
  bench::Part mine = bench::part(index, count);
  for (int step = 0; step < steps; step++) {
    if (index == 0) start_tree();
    bench::spin_barrier();
    for (int i = mine.first; i < mine.last; i++) {
      insert(i);
      bench::give_way();
    }
    bench::spin_barrier();
    if (index == 0) {
      weigh(cells[0]);
      dealers[~step & 1].restart(count);
    }
    bench::spin_barrier();
    bench::Dealer& dealer = dealers[step & 1];
    for (bench::Part next = dealer.take(8); next.first < next.last; next = dealer.take(8))
      for (int i = next.first; i < next.last; i++) {
        bodies[i].pull = {0, 0, 0};
        gather(bodies[i].pull, i, cells[0]);
      }
    bench::spin_barrier();
    if (step == steps - 1) return;  // tree, positions and pulls belong together for the checks
    for (int i = mine.first; i < mine.last; i++)
      for (int k = 0; k < 3; k++) {
        bodies[i].velocity[k] += kTime * bodies[i].pull[k];
        bodies[i].position[k] += kTime * bodies[i].velocity[k];
      }
    bench::spin_barrier();
  }
}

// All bodies are in the tree, and the pull on some of them is nearly that of all others one by one.
static void check_forces() {
  bench::check(cells[0].bodies == count, "%d bodies of %d are in the tree", cells[0].bodies, count);
  double off = 0, all = 0;
  for (int i = 0; i < count; i += std::max(1, count / 50)) {
    Vector exact = {0, 0, 0};
    for (int j = 0; j < count; j++)
      if (j != i) add_pull(exact, bodies[i].position, bodies[j].position, bodies[j].mass);
    for (int k = 0; k < 3; k++) {
      off += (exact[k] - bodies[i].pull[k]) * (exact[k] - bodies[i].pull[k]);
      all += exact[k] * exact[k];
    }
  }
  bench::check(off <= 0.0025 * all, "the pulls are off by %.2g of themselves", sqrt(off / all));
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  count = bench::size(20000, 1, 2);
  steps = bench::given_size > 0 ? 2 : 8;
  cells = std::make_unique<Cell[]>(8 * static_cast<size_t>(count) + 64);
  bodies.resize(count);
  uint64_t random = bench::random_state(67);
  for (Body& body : bodies) {
    Vector& at = body.position;
    do
      for (int k = 0; k < 3; k++) at[k] = 2 * bench::random_unit(random) - 1;
    while (at.x * at.x + at.y * at.y + at.z * at.z > 1);
    body.velocity = {-0.3 * at.y, 0.3 * at.x, 0};
    body.mass = (0.5 + bench::random_unit(random)) / count;
  }
  dealers[0].restart(count);
  bench::run(body);
  check_forces();
  double sum = 0;
  for (const Body& body : bodies) sum += body.position.x + 2 * body.position.y + 3 * body.position.z;
  return bench::finish(sum);
}
