// All-pairs n-body: forces of each pair added to both bodies, in private arrays that are then summed under locks.
#include <math.h>

#include "bench.h"

struct Body {
  double position[3], velocity[3], force[3], mass;
};

static int count, steps;
static std::vector<Body> bodies;
static std::vector<pthread_mutex_t> locks;

static void interact(int i, std::vector<double>& force) {
  for (int j = i + 1; j < count; j++) {
    double d[3], square = 0.01;
    for (int k = 0; k < 3; k++) {
      d[k] = bodies[static_cast<size_t>(j)].position[k] - bodies[static_cast<size_t>(i)].position[k];
      square += d[k] * d[k];
    }
    double pull = bodies[static_cast<size_t>(i)].mass * bodies[static_cast<size_t>(j)].mass / (square * sqrt(square));
    for (int k = 0; k < 3; k++) {
      force[static_cast<size_t>(3 * i + k)] += pull * d[k];
      force[static_cast<size_t>(3 * j + k)] -= pull * d[k];
    }
  }
}

static void body(int index) {
  bench::Part mine = bench::part(index, count);
  std::vector<double> force(static_cast<size_t>(3 * count));
  for (int step = 0; step < steps; step++) {
    for (auto& f : force) f = 0;
    for (int i = index; i < count; i += bench::threads) interact(i, force);
    for (int n = 0; n < count; n++) {
      auto i = static_cast<size_t>((n + mine.first) % count);
      pthread_mutex_lock(&locks[i % locks.size()]);
      for (size_t k = 0; k < 3; k++) bodies[i].force[k] += force[3 * i + k];
      pthread_mutex_unlock(&locks[i % locks.size()]);
    }
    bench::barrier();
    for (int i = mine.first; i < mine.last; i++)
      for (int k = 0; k < 3; k++) {
        Body& b = bodies[static_cast<size_t>(i)];
        b.velocity[k] += 1e-4 * b.force[k] / b.mass;
        b.position[k] += 1e-4 * b.velocity[k];
        b.force[k] = 0;
      }
    bench::barrier();
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  count = 1500;
  steps = bench::scaled(120);
  bodies.resize(static_cast<size_t>(count));
  locks.resize(256);
  for (auto& lock : locks) pthread_mutex_init(&lock, nullptr);
  uint64_t random = 99;
  for (auto& b : bodies) {
    for (int k = 0; k < 3; k++) b.position[k] = static_cast<double>(bench::next_random(random) % 2000) / 1000 - 1;
    b.mass = 1 + static_cast<double>(bench::next_random(random) % 100) / 100;
  }
  bench::run(body);
  double sum = 0;
  for (auto& b : bodies) sum += b.position[0] + 2 * b.position[1] + 3 * b.position[2];
  printf("checksum %.6f\n", sum);
}
