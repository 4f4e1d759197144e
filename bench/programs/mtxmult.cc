// Matrix multiplication, a row of the product after the other; n is the side. Rows are dealt out in turn, and each
// element of the product is summed where it lies.
#include "bench.h"

static int side;
static std::vector<int> left, right, product;

static void body(int index) {
  for (int i = index; i < side; i += bench::threads) {
    for (int j = 0; j < side; j++)
      for (int k = 0; k < side; k++) product[i * side + j] += left[i * side + k] * right[k * side + j];
    bench::give_way();
  }
}

// left * (right * v) against product * v, for a random v (Freivalds): a wrong product passes once in some thousands.
static void check_product(uint64_t& random) {
  std::vector<unsigned> v(side), through(side);
  for (auto& one : v) one = bench::random_below(random, 1 << 20);
  for (int k = 0; k < side; k++)
    for (int j = 0; j < side; j++) through[k] += static_cast<unsigned>(right[k * side + j]) * v[j];
  for (int i = 0; i < side; i++) {
    unsigned expected = 0, found = 0;
    for (int k = 0; k < side; k++) expected += static_cast<unsigned>(left[i * side + k]) * through[k];
    for (int j = 0; j < side; j++) found += static_cast<unsigned>(product[i * side + j]) * v[j];
    bench::check(expected == found, "row %d of the product", i);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  side = bench::size(1000, 3);
  for (auto* matrix : {&left, &right, &product}) matrix->resize(static_cast<size_t>(side) * side);
  uint64_t random = bench::random_state(17);
  for (auto* matrix : {&left, &right})
    for (auto& element : *matrix) element = bench::random_below(random, 1000);
  bench::run(body);
  check_product(random);
  uint64_t sum = 0;
  for (int element : product) sum = bench::mix(sum, static_cast<uint64_t>(element));
  return bench::finish(sum);
}
