// Component-wise product of two matrices of side n, as a flow of data: each row of the operands has words that say how
// often it has been filled and emptied, and whoever needs the row waits for that. The rows of the product are worked
// out by other threads than those that fill the operands.
#include "bench.h"

struct Gate {
  std::atomic<int> filled{0}, emptied{0};  // rounds
};

static int side, rounds;
static std::vector<double> left, right, product;
static std::vector<Gate> gates;

static double element(int round, int i, int j) { return round + 0.5 * i - 0.25 * j; }

static void fill(int round, int row) {
  Gate& gate = gates[row];
  bench::spin_until([&] { return gate.emptied.load(std::memory_order_acquire) == round - 1; });
  for (int j = 0; j < side; j++) {
    left[row * side + j] = element(round, row, j);
    right[row * side + j] = element(round, j, row);
  }
  gate.filled.store(round, std::memory_order_release);
  bench::give_way();
}

static void multiply(int round, int row) {
  Gate& gate = gates[row];
  bench::spin_until([&] { return gate.filled.load(std::memory_order_acquire) == round; });
  for (int j = 0; j < side; j++) product[row * side + j] = left[row * side + j] * right[row * side + j];
  gate.emptied.store(round, std::memory_order_release);
  bench::give_way();
}

static void body(int index) {
  bench::Part fills = bench::part(index, side), multiplies = bench::part((index + 1) % bench::threads, side);
  for (int round = 1; round <= rounds; round++) {
    for (int row = fills.first; row < fills.last; row++) fill(round, row);
    for (int row = multiplies.first; row < multiplies.last; row++) multiply(round, row);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  side = bench::size(600, 2);
  rounds = bench::given_size > 0 ? 4 : 2000;
  for (auto* matrix : {&left, &right, &product}) matrix->resize(static_cast<size_t>(side) * side);
  gates = std::vector<Gate>(side);
  bench::run(body);
  double sum = 0;
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      double found = product[i * side + j], expected = element(rounds, i, j) * element(rounds, j, i);
      bench::check(found == expected, "element %d, %d is %g, not %g", i, j, found, expected);
      sum += found;
    }
  return bench::finish(sum);
}
