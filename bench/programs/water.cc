// Molecular dynamics of n water molecules in a box that repeats, all pairs within half the box: springs within a
// molecule, charges and a Lennard-Jones force between them. Forces are added to the molecules under a lock for each,
// energies under one for all, so the sums depend on the order in their last digits.
#include "bench.h"

constexpr int kAtoms = 3;  // O, H, H
struct Molecule {
  double position[kAtoms][3], velocity[kAtoms][3], force[kAtoms][3];
};

constexpr double kMass[kAtoms] = {16, 1, 1}, kCharge[kAtoms] = {-0.8, 0.4, 0.4};
constexpr double kSpring = 40, kBond = 1, kSpan = 1.63, kTime = 0.004, kSpacing = 3.1;
static int count, steps;
static double box;
static std::vector<Molecule> molecules;
static std::vector<bench::Mutex> locks;
static bench::Mutex energy_lock;
static std::vector<double> energies;  // kinetic and potential, of each step

static double spring(Molecule& m, int a, int b, double rest) {
  double d[3], square = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = m.position[b][k] - m.position[a][k];
    square += d[k] * d[k];
  }
  double length = sqrt(square), stretch = length - rest;
  for (int k = 0; k < 3; k++) {
    m.force[a][k] += kSpring * stretch * d[k] / length;
    m.force[b][k] -= kSpring * stretch * d[k] / length;
  }
  return 0.5 * kSpring * stretch * stretch;
}

// Adds the forces between i and j to `on_i` and `on_j`; returns their energy. Both fade to nothing at half the box.
static double interact(const Molecule& i, const Molecule& j, double (&on_i)[kAtoms][3], double (&on_j)[kAtoms][3]) {
  double shift[3], apart = 0;
  for (int k = 0; k < 3; k++) {
    double d = j.position[0][k] - i.position[0][k];
    shift[k] = -box * round(d / box);
    apart += (d + shift[k]) * (d + shift[k]);
  }
  double limit = box * box / 4;
  if (apart >= limit) return 0;
  double fade = (1 - apart / limit) * (1 - apart / limit), fade_slope = -4 * (1 - apart / limit) / limit, energy = 0;
  for (int a = 0; a < kAtoms; a++)
    for (int b = 0; b < kAtoms; b++) {
      double d[3], square = 0.05;
      for (int k = 0; k < 3; k++) {
        d[k] = j.position[b][k] - i.position[a][k] + shift[k];
        square += d[k] * d[k];
      }
      double charge = kCharge[a] * kCharge[b] / sqrt(square), push = charge / square, part = charge;
      if (a == 0 && b == 0) {
        double sixth = 600 / (square * square * square);
        part += sixth * sixth - sixth;
        push += (12 * sixth * sixth - 6 * sixth) / square;
      }
      energy += part;
      for (int k = 0; k < 3; k++) {
        on_i[a][k] -= fade * push * d[k];
        on_j[b][k] += fade * push * d[k];
      }
    }
  for (int k = 0; k < 3; k++) {
    double pull = energy * fade_slope * (j.position[0][k] - i.position[0][k] + shift[k]);
    on_i[0][k] += pull;
    on_j[0][k] -= pull;
  }
  return energy * fade;
}

static void add(int to, const double (&force)[kAtoms][3]) {
  bench::Locked<bench::Mutex> locked(locks[to]);
  for (int a = 0; a < kAtoms; a++)
    for (int k = 0; k < 3; k++) molecules[to].force[a][k] += force[a][k];
}

// Each molecule with the half of the others that follow it, so that every pair comes once.
static double forces_of(int i) {
  double on_i[kAtoms][3] = {}, energy = 0;
  for (int step = 1; step <= count / 2; step++) {
    if (2 * step == count && i >= step) break;
    int j = (i + step) % count;
    double on_j[kAtoms][3] = {}, part = interact(molecules[i], molecules[j], on_i, on_j);
    if (part == 0) continue;
    add(j, on_j);
    energy += part;
  }
  add(i, on_i);
  return energy;
}

static double kick(bench::Part mine) {
  double kinetic = 0;
  for (int i = mine.first; i < mine.last; i++)
    for (int a = 0; a < kAtoms; a++)
      for (int k = 0; k < 3; k++) {
        Molecule& m = molecules[i];
        m.velocity[a][k] += 0.5 * kTime * m.force[a][k] / kMass[a];
        kinetic += 0.5 * kMass[a] * m.velocity[a][k] * m.velocity[a][k];
      }
  return kinetic;
}

static void compute_forces(bench::Part mine, double& potential) {
  for (int i = mine.first; i < mine.last; i++) {
    Molecule& m = molecules[i];
    for (auto& atom : m.force)
      for (double& component : atom) component = 0;
    potential += spring(m, 0, 1, kBond) + spring(m, 0, 2, kBond) + spring(m, 1, 2, kSpan);
  }
  bench::barrier();
  for (int i = mine.first; i < mine.last; i++) {
    potential += forces_of(i);
    bench::give_way();
  }
  bench::barrier();
}

static void body(int index) {
  bench::Part mine = bench::part(index, count);
  double ignored = 0;
  compute_forces(mine, ignored);
  for (int step = 0; step < steps; step++) {
    kick(mine);
    for (int i = mine.first; i < mine.last; i++)
      for (int a = 0; a < kAtoms; a++)
        for (int k = 0; k < 3; k++) molecules[i].position[a][k] += kTime * molecules[i].velocity[a][k];
    bench::barrier();
    double energy = 0;
    compute_forces(mine, energy);
    energy += kick(mine);
    bench::Locked<bench::Mutex> locked(energy_lock);
    energies[step] += energy;
  }
}

static void place(uint64_t& random) {
  int side = static_cast<int>(ceil(cbrt(count)));
  box = side * kSpacing;
  for (int i = 0; i < count; i++) {
    Molecule& m = molecules[i];
    int at[3] = {i % side, i / side % side, i / side / side};
    for (int k = 0; k < 3; k++) {
      for (int a = 0; a < kAtoms; a++) m.position[a][k] = kSpacing * at[k];
      double drift = 0.2 * (bench::random_unit(random) - 0.5);
      for (int a = 0; a < kAtoms; a++) m.velocity[a][k] = drift;
    }
    m.position[1][0] += kSpan / 2;
    m.position[2][0] -= kSpan / 2;
    m.position[1][1] += 0.58;
    m.position[2][1] += 0.58;
  }
}

static void momentum(double (&sum)[3]) {
  for (const Molecule& m : molecules)
    for (int a = 0; a < kAtoms; a++)
      for (int k = 0; k < 3; k++) sum[k] += kMass[a] * m.velocity[a][k];
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  count = bench::size(1000, 2, 2);
  steps = bench::given_size > 0 ? 3 : 20;
  molecules.resize(count);
  locks = std::vector<bench::Mutex>(count);
  energies.resize(steps);
  uint64_t random = bench::random_state(71);
  place(random);
  double before[3] = {}, after[3] = {};
  momentum(before);
  bench::run(body);
  momentum(after);
  for (int k = 0; k < 3; k++)
    bench::check(fabs(after[k] - before[k]) < 1e-7 * count, "momentum changed from %g to %g", before[k], after[k]);
  for (int step = 0; step < steps; step++)
    bench::check(fabs(energies[step] - energies[0]) < 0.01 * count, "energy changed from %g to %g in step %d",
                 energies[0], energies[step], step);
  return bench::finish(energies[steps - 1]);
}
