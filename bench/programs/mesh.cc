// Laplace's equation on a rectangular mesh of n by 2n inner points, by Jacobi's method. Threads have bands of rows;
// instead of a barrier, each waits for its two neighbours, by words that say how many sweeps they have done.
#include "bench.h"

struct Progress {
  alignas(64) std::atomic<int> sweeps{0};
};

static int rows, columns, sweeps;  // with the border
static std::vector<double> meshes[2];
static std::vector<Progress> progress;

// A harmonic function: on the border it is given, inside it is what the sweeps approach.
static double harmonic(int i, int j) {
  double y = static_cast<double>(i) / rows, x = static_cast<double>(j) / columns;
  return (x * columns * x * columns - y * rows * y * rows) / (rows * static_cast<double>(rows)) + x + y;
}

static double average(const std::vector<double>& mesh, int at) {
  return 0.25 * (mesh[at - columns] + mesh[at + columns] + mesh[at - 1] + mesh[at + 1]);
}

static void wait_for(int index, int sweep) {
  if (index < 0 || index >= bench::threads) return;
  bench::spin_until([&] { return progress[index].sweeps.load(std::memory_order_acquire) >= sweep; });
}

static void body(int index) {
  bench::Part band = bench::part(index, rows - 2);
  for (int sweep = 0; sweep < sweeps; sweep++) {
    wait_for(index - 1, sweep);
    wait_for(index + 1, sweep);
    const auto& from = meshes[sweep & 1];
    auto& to = meshes[~sweep & 1];
    for (int i = band.first + 1; i < band.last + 1; i++) {
      for (int j = 1; j < columns - 1; j++) to[i * columns + j] = average(from, i * columns + j);
      bench::give_way();
    }
    progress[index].sweeps.store(sweep + 1, std::memory_order_release);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  int least = bench::threads;  // no band is empty
  int inner = bench::size(400, 2, least);
  rows = inner + 2;
  columns = 2 * inner + 2;
  sweeps = bench::given_size > 0 ? 20 : 5000;
  progress = std::vector<Progress>(bench::threads);
  for (auto& mesh : meshes) mesh.resize(static_cast<size_t>(rows) * columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      if (i == 0 || j == 0 || i == rows - 1 || j == columns - 1)
        meshes[0][i * columns + j] = meshes[1][i * columns + j] = harmonic(i, j);
  bench::run(body);
  const auto &last = meshes[sweeps & 1], &before = meshes[~sweeps & 1];
  double sum = 0, worst_at_first = 0, worst = 0;
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      int at = i * columns + j;
      bench::check(last[at] == average(before, at), "point %d, %d is not the average of the sweep before", i, j);
      worst_at_first = fmax(worst_at_first, fabs(harmonic(i, j)));
      worst = fmax(worst, fabs(last[at] - harmonic(i, j)));
      sum += last[at];
    }
  bench::check(worst < worst_at_first, "the error grew from %g to %g", worst_at_first, worst);
  return bench::finish(sum);
}
