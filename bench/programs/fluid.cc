// A fluid of n particles that falls in a box, by smoothed particles. Space is divided into cells as wide as a particle
// reaches. Cells have a lock each; a thread has a slab of them, and adds to particles in its own and in neighbouring
// cells under their locks. Lists and sums depend on the order.
#include <algorithm>

#include "bench.h"

struct Particle {
  float position[3], velocity[3], acceleration[3], density;
  int neighbours;
  int next;  // in the list of its cell, or -1
};

constexpr float kReach = 1, kRest = 12, kStiff = 4, kThick = 2, kTime = 0.01f, kFall = -9.8f;
static int count, frames, across, height;  // cells of the box along x and y, and along z
static std::vector<Particle> particles;
static std::vector<int> heads;
static std::vector<bench::Mutex> locks;
static bench::Mutex total_lock;
static double total_push[3];
static int64_t total_pairs, total_neighbours;

static int cells() { return across * across * height; }
static int cell_at(const int (&at)[3]) { return (at[2] * across + at[1]) * across + at[0]; }
static int cell_of(const Particle& p) {
  int at[3], limit[3] = {across, across, height};
  for (int k = 0; k < 3; k++) at[k] = std::clamp(static_cast<int>(p.position[k] / kReach), 0, limit[k] - 1);
  return cell_at(at);
}

// The neighbours of a cell that come after it, and itself, so that every pair of cells comes once.
static int following(int cell, int (&neighbours)[14]) {
  int found = 0, x = cell % across, y = cell / across % across, z = cell / across / across;
  for (int dz = 0; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        if (dz == 0 && (dy < 0 || (dy == 0 && dx < 0))) continue;
        int at[3] = {x + dx, y + dy, z + dz};
        if (at[0] < 0 || at[1] < 0 || at[0] >= across || at[1] >= across || at[2] >= height) continue;
        neighbours[found++] = cell_at(at);
      }
  return found;
}

static float square_apart(const Particle& a, const Particle& b) {
  float square = 0;
  for (int k = 0; k < 3; k++) square += (a.position[k] - b.position[k]) * (a.position[k] - b.position[k]);
  return square;
}

// Calls `act(one, cell of the other, other, square of their distance)` for each pair in reach, the one in this cell.
template <class Act>
static void each_pair(int cell, Act act) {
  bench::give_way();
  int neighbours[14], found = following(cell, neighbours);
  for (int i = heads[cell]; i >= 0; i = particles[i].next)
    for (int n = 0; n < found; n++)
      for (int j = neighbours[n] == cell ? particles[i].next : heads[neighbours[n]]; j >= 0; j = particles[j].next) {
        float square = square_apart(particles[i], particles[j]);
        if (square < kReach * kReach) act(i, neighbours[n], j, square);
      }
}

static void add_density(int cell, int particle, float density) {
  bench::Locked<bench::Mutex> locked(locks[cell]);
  particles[particle].density += density;
  particles[particle].neighbours++;
}

static void add_push(int cell, int particle, const float (&push)[3], float sign) {
  bench::Locked<bench::Mutex> locked(locks[cell]);
  for (int k = 0; k < 3; k++) particles[particle].acceleration[k] += sign * push[k] / particles[particle].density;
}

static void push_apart(const Particle& a, const Particle& b, float square, float (&push)[3]) {
  float distance = sqrtf(square) + 1e-6f, close = kReach - distance;
  float pressure = 0.5f * kStiff * (a.density + b.density - 2 * kRest);
  for (int k = 0; k < 3; k++)
    push[k] = close * pressure * (a.position[k] - b.position[k]) / distance +
              close * kThick * (b.velocity[k] - a.velocity[k]);
}

static void advance(Particle& p) {
  float limit[3] = {across * kReach, across * kReach, height * kReach};
  for (int k = 0; k < 3; k++) {
    p.velocity[k] = std::clamp(p.velocity[k] + kTime * p.acceleration[k], -20.f, 20.f);
    p.position[k] += kTime * p.velocity[k];
    if (p.position[k] < 0 || p.position[k] > limit[k]) {
      p.position[k] = std::clamp(p.position[k], 0.f, limit[k]);
      p.velocity[k] *= -0.5f;
    }
  }
}

static void fill_cells(bench::Part mine) {
  for (int i = mine.first; i < mine.last; i++) {
    Particle& p = particles[i];
    p.density = kRest / 8;
    p.neighbours = 0;
    for (int k = 0; k < 3; k++) p.acceleration[k] = k == 2 ? kFall : 0;
    int cell = cell_of(p);
    bench::Locked<bench::Mutex> locked(locks[cell]);
    p.next = heads[cell];
    heads[cell] = i;
    bench::saw(static_cast<uint64_t>(p.next));
  }
}

static void body(int index) {
  bench::Part mine = bench::part(index, count), slab = bench::part(index, cells());
  double sum[3] = {};
  int64_t pairs = 0, neighbours = 0;
  for (int frame = 0; frame < frames; frame++) {
    for (int cell = slab.first; cell < slab.last; cell++) heads[cell] = -1;
    bench::barrier();
    fill_cells(mine);
    bench::barrier();
    for (int cell = slab.first; cell < slab.last; cell++)
      each_pair(cell, [cell, &pairs](int i, int other_cell, int j, float square) {
        float near = (kReach * kReach - square) * (kReach * kReach - square) * (kReach * kReach - square) * 3;
        add_density(cell, i, near);
        add_density(other_cell, j, near);
        pairs++;
      });
    bench::barrier();
    for (int cell = slab.first; cell < slab.last; cell++)
      each_pair(cell, [cell](int i, int other_cell, int j, float square) {
        float push[3];
        push_apart(particles[i], particles[j], square, push);
        add_push(cell, i, push, 1);
        add_push(other_cell, j, push, -1);
      });
    bench::barrier();
    for (int i = mine.first; i < mine.last; i++) {
      for (int k = 0; k < 3; k++)
        sum[k] += static_cast<double>((particles[i].acceleration[k] - (k == 2 ? kFall : 0)) * particles[i].density);
      neighbours += particles[i].neighbours;
      advance(particles[i]);
    }
    bench::barrier();
  }
  bench::Locked<bench::Mutex> locked(total_lock);
  for (int k = 0; k < 3; k++) total_push[k] += sum[k];
  total_pairs += pairs;
  total_neighbours += neighbours;
}

// Every particle is in the list of just one cell; each pair counted for both, and pushed them apart, so that the pushes
// add up to nothing but rounding.
static void check_fluid() {
  int listed = 0;
  for (int head : heads)
    for (int i = head; i >= 0 && listed <= count; i = particles[i].next) listed++;
  bench::check(listed == count, "%d particles of %d are in cells", listed, count);
  bench::check(total_neighbours == 2 * total_pairs, "%lld neighbours in %lld pairs",
               static_cast<long long>(total_neighbours), static_cast<long long>(total_pairs));
  for (int k = 0; k < 3; k++)
    bench::check(fabs(total_push[k]) < 0.05 * count * frames, "pushes add up to %g", total_push[k]);
  for (const Particle& p : particles)
    for (int k = 0; k < 3; k++)
      bench::check(p.position[k] >= 0 && p.position[k] <= kReach * (k == 2 ? height : across),
                   "particle %d is out of the box", static_cast<int>(&p - particles.data()));
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  count = bench::size(30000);
  frames = bench::given_size > 0 ? 3 : 10;
  across = std::max(2, static_cast<int>(cbrt(count / 6.0)));
  height = 2 * across;
  particles.resize(count);
  heads.resize(cells());
  locks = std::vector<bench::Mutex>(cells());
  uint64_t random = bench::random_state(73);
  for (Particle& p : particles)
    for (int k = 0; k < 3; k++) {
      p.position[k] = static_cast<float>(bench::random_unit(random)) * across * kReach;
      p.velocity[k] = 0;
    }
  bench::run(body);
  check_fluid();
  double sum = 0;
  for (const Particle& p : particles) sum += static_cast<double>(p.position[0] + 2 * p.position[1] + 3 * p.position[2]);
  return bench::finish(sum);
}
