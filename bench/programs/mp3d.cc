// A wind tunnel with n molecules of a thin gas, in the manner of MP3D. Each thread moves its molecules; each cell of
// the tunnel counts those in it and remembers the last, with which the next may collide. As in the original the cells
// have no locks: counts are lost and collisions may meet half, and the checksum differs from run to run.
#include "bench.h"

struct Molecule {
  float position[3], velocity[3];
};
struct Cell {
  int population, last;  // the last is a molecule, or -1
  int64_t collisions;
};

constexpr int kLength = 28, kHeight = 14, kDepth = 14;
constexpr int kSize[3] = {kLength, kHeight, kDepth};
constexpr float kWind = 0.4f;
static int steps;
static std::vector<Molecule> molecules;
static std::vector<Cell> cells;
static bench::SpinLock total_lock;
static int64_t counted, collisions, entered;

static int cell_of(const Molecule& m) {
  return (static_cast<int>(m.position[0]) * kHeight + static_cast<int>(m.position[1])) * kDepth +
         static_cast<int>(m.position[2]);
}

static void enter(Molecule& m, uint64_t& random, float x) {
  m.position[0] = x;
  for (int k = 1; k < 3; k++) m.position[k] = static_cast<float>(bench::random_unit(random)) * 0.999f * kSize[k];
  for (int k = 0; k < 3; k++)
    m.velocity[k] = static_cast<float>(bench::random_unit(random) - 0.5) * 0.3f + (k == 0 ? kWind : 0);
}

// One step of flight. The four walls reflect; who leaves at an end is replaced by another who comes in with the wind.
static void move(Molecule& m, uint64_t& random, int64_t& came) {
  for (int k = 0; k < 3; k++) {
    float next = m.position[k] + m.velocity[k], limit = static_cast<float>(kSize[k]);
    if (next < 0 || next >= limit) {
      if (k == 0) {
        came++;
        enter(m, random, 0);
        return;
      }
      m.velocity[k] = -m.velocity[k];
      next = m.position[k];
    }
    m.position[k] = next;
  }
}

// Two that meet swap their velocities relative to each other, turned by an axis.
static void collide(Molecule& a, Molecule& b) {
  for (int k = 0; k < 3; k++) {
    int turned = (k + 1) % 3;
    float mean = 0.5f * (a.velocity[k] + b.velocity[k]), half = 0.5f * (a.velocity[turned] - b.velocity[turned]);
    a.velocity[k] = fminf(fmaxf(mean + half, -0.99f), 0.99f);
    b.velocity[k] = fminf(fmaxf(mean - half, -0.99f), 0.99f);
  }
}

static void body(int index) {
  bench::Part mine = bench::part(index, static_cast<int>(molecules.size()));
  bench::Part own_cells = bench::part(index, static_cast<int>(cells.size()));
  uint64_t random = bench::random_state(41) + static_cast<uint64_t>(index) * 7919;
  int64_t came = 0, here = 0, met = 0;
  for (int step = 0; step < steps; step++) {
    for (int c = own_cells.first; c < own_cells.last; c++) {
      here += cells[c].population;
      cells[c].population = 0;
      cells[c].last = -1;
    }
    bench::spin_barrier();
    for (int i = mine.first; i < mine.last; i++) {
      if (i % 16 == 0) bench::give_way();
      move(molecules[i], random, came);
      Cell& cell = cells[cell_of(molecules[i])];
      cell.population++;
      int other = cell.last;
      cell.last = i;
      if (other >= 0 && (i + other + step) % 3 == 0) {
        collide(molecules[i], molecules[other]);
        cell.collisions++;
        met++;
        bench::saw(static_cast<uint64_t>(other));
      }
    }
    bench::spin_barrier();
  }
  for (int c = own_cells.first; c < own_cells.last; c++) here += cells[c].population;
  bench::Locked<bench::SpinLock> locked(total_lock);
  counted += here;
  collisions += met;
  entered += came;
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  molecules.resize(bench::size(300000));
  steps = bench::given_size > 0 ? 5 : 150;
  cells.assign(kLength * kHeight * kDepth, {0, -1, 0});
  uint64_t random = bench::random_state(43);
  for (auto& m : molecules) enter(m, random, static_cast<float>(bench::random_unit(random)) * 0.999f * kLength);
  bench::run(body);
  int64_t lost = static_cast<int64_t>(molecules.size()) * steps - counted, lost_collisions = collisions;
  for (const Cell& cell : cells) lost_collisions -= cell.collisions;
  bench::check(lost >= 0 && lost_collisions >= 0 && (bench::threads > 1 || lost + lost_collisions == 0),
               "%lld molecules and %lld collisions were not counted", static_cast<long long>(lost),
               static_cast<long long>(lost_collisions));
  double sum = static_cast<double>(lost + lost_collisions) + static_cast<double>(entered) * 1e-3;
  for (const Molecule& m : molecules)
    for (int k = 0; k < 3; k++) {
      bench::check(m.position[k] >= 0 && m.position[k] < kSize[k], "molecule %d is outside the tunnel",
                   static_cast<int>(&m - molecules.data()));
      bench::check(fabsf(m.velocity[k]) < 1, "molecule %d flies at %g", static_cast<int>(&m - molecules.data()),
                   static_cast<double>(m.velocity[k]));
      sum += static_cast<double>(m.position[k]);
    }
  return bench::finish(sum);
}
