// Gaussian elimination with partial pivoting, and back substitution; n is the number of unknowns. In each step the rows
// below the pivot are dealt out anew from the first, so that every row moves from thread to thread, as in the naive
// program that the papers traced.
#include "bench.h"

static int unknowns;
static std::vector<double> system_of;  // row by row, with the right-hand side as last column
static std::vector<double> solution;

static double& at(int row, int column) { return system_of[static_cast<size_t>(row) * (unknowns + 1) + column]; }

static void choose_pivot(int step) {
  int best = step;
  for (int row = step + 1; row < unknowns; row++)
    if (fabs(at(row, step)) > fabs(at(best, step))) best = row;
  if (best == step) return;
  for (int column = step; column <= unknowns; column++) std::swap(at(step, column), at(best, column));
}

static void body(int index) {
  for (int step = 0; step < unknowns; step++) {
    if (index == 0) choose_pivot(step);
    bench::spin_barrier();
    for (int row = step + 1 + index; row < unknowns; row += bench::threads) {
      double factor = at(row, step) / at(step, step);
      for (int column = step; column <= unknowns; column++) at(row, column) -= factor * at(step, column);
      bench::give_way();
    }
    bench::spin_barrier();
  }
  if (index != 0) return;
  for (int row = unknowns - 1; row >= 0; row--) {
    double rest = at(row, unknowns);
    for (int column = row + 1; column < unknowns; column++) rest -= at(row, column) * solution[column];
    solution[row] = rest / at(row, row);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  unknowns = bench::size(1800, 3);
  system_of.resize(static_cast<size_t>(unknowns) * (unknowns + 1));
  solution.resize(unknowns);
  uint64_t random = bench::random_state(23);
  for (auto& value : system_of) value = 2 * bench::random_unit(random) - 1;
  std::vector<double> original = system_of;
  bench::run(body);
  double sum = 0;
  for (int row = 0; row < unknowns; row++) {
    const double* of = &original[static_cast<size_t>(row) * (unknowns + 1)];
    double value = -of[unknowns], magnitude = fabs(of[unknowns]);
    for (int column = 0; column < unknowns; column++) {
      value += of[column] * solution[column];
      magnitude += fabs(of[column] * solution[column]);
    }
    bench::check(fabs(value) <= 1e-8 * magnitude, "equation %d is off by %g", row, value);
    sum += fabs(solution[row]);
  }
  return bench::finish(sum);
}
