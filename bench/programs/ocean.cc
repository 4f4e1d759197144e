// A relaxation on several grids with a residual reduced under a lock each sweep, as in ocean simulations. n is the
// side.

#include "bench.h"

static int side, sweeps;
static std::vector<double> grids[3];
static bench::Mutex reduce_lock;
static double residual;

static void sweep(double* psi, const double* vorticity, bench::Part rows, int colour, double* change) {
  double sum = 0;
  for (int i = rows.first + 1; i < rows.last + 1; i++)
    for (int j = 1 + ((i + colour) & 1); j < side - 1; j += 2) {
      double old = psi[i * side + j];
      double next = 0.25 * (psi[(i - 1) * side + j] + psi[(i + 1) * side + j] + psi[i * side + j - 1] +
                            psi[i * side + j + 1] - vorticity[i * side + j]);
      psi[i * side + j] = old + 1.2 * (next - old);
      sum += fabs(next - old);
    }
  *change += sum;
}

static void advect(const double* psi, const double* from, double* to, bench::Part rows) {
  for (int i = rows.first + 1; i < rows.last + 1; i++)
    for (int j = 1; j < side - 1; j++) {
      int at = i * side + j;
      double u = psi[at + side] - psi[at - side], v = psi[at - 1] - psi[at + 1];
      to[at] = from[at] - 0.01 * (u * (from[at + 1] - from[at - 1]) + v * (from[at + side] - from[at - side])) +
               0.001 * (from[at + 1] + from[at - 1] + from[at + side] + from[at - side] - 4 * from[at]);
    }
}

static void body(int index) {
  bench::Part rows = bench::part(index, side - 2);
  for (int step = 0; step < sweeps; step++) {
    double *psi = grids[0].data(), *now = grids[1 + (step & 1)].data(), *next = grids[2 - (step & 1)].data();
    double change = 0;
    for (int inner = 0; inner < 4; inner++)
      for (int colour = 0; colour < 2; colour++) {
        sweep(psi, now, rows, colour, &change);
        bench::barrier();
      }
    reduce_lock.lock();
    residual += change > 1e300 ? 0 : floor(change * 1e3);
    reduce_lock.unlock();
    advect(psi, now, next, rows);
    bench::barrier();
  }
}

// The grids of the last step are still there: it is done again by one thread.
static void check_last_step() {
  int last = sweeps - 1;
  const auto &now = grids[1 + (last & 1)], &next = grids[2 - (last & 1)];
  std::vector<double> again(next);
  advect(grids[0].data(), now.data(), again.data(), {0, side - 2});
  for (size_t i = 0; i < again.size(); i++)
    bench::check(isfinite(again[i]) && again[i] == next[i], "cell %zu is %g, not %g", i, next[i], again[i]);
  bench::check(residual > 0, "the residual is %g", residual);
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  side = (bench::given_size > 0 ? bench::given_size : 512) + 2;
  sweeps = bench::given_size > 0 ? 10 : bench::scaled(320);
  for (auto& grid : grids) grid.resize(static_cast<size_t>(side) * side);
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++)
      grids[1][static_cast<size_t>(i * side + j)] = sin(i * 0.02) * cos(j * 0.03);
  bench::run(body);
  check_last_step();
  double sum = 0;
  for (auto value : grids[0]) sum += fabs(value);
  return bench::finish(sum);
}
