// Blocked LU factorisation without pivoting; blocks stored contiguously and dealt out to the threads in two dimensions.
#include <math.h>

#include "bench.h"

constexpr int kBlock = 16;
static int blocks;  // per side
static std::vector<double> matrix;

static double* block(int i, int j) { return &matrix[(static_cast<size_t>(i) * blocks + j) * kBlock * kBlock]; }
static bool owns(int index, int i, int j) { return (i * 7 + j) % bench::threads == index; }

static void factor(double* a) {
  for (int k = 0; k < kBlock; k++)
    for (int i = k + 1; i < kBlock; i++) {
      a[i * kBlock + k] /= a[k * kBlock + k];
      for (int j = k + 1; j < kBlock; j++) a[i * kBlock + j] -= a[i * kBlock + k] * a[k * kBlock + j];
    }
}

static void solve_row(const double* diagonal, double* a) {
  for (int k = 0; k < kBlock; k++)
    for (int i = k + 1; i < kBlock; i++)
      for (int j = 0; j < kBlock; j++) a[i * kBlock + j] -= diagonal[i * kBlock + k] * a[k * kBlock + j];
}

static void solve_column(const double* diagonal, double* a) {
  for (int k = 0; k < kBlock; k++)
    for (int i = 0; i < kBlock; i++) {
      a[i * kBlock + k] /= diagonal[k * kBlock + k];
      for (int j = k + 1; j < kBlock; j++) a[i * kBlock + j] -= a[i * kBlock + k] * diagonal[k * kBlock + j];
    }
}

static void multiply(const double* left, const double* upper, double* a) {
  for (int i = 0; i < kBlock; i++)
    for (int k = 0; k < kBlock; k++)
      for (int j = 0; j < kBlock; j++) a[i * kBlock + j] -= left[i * kBlock + k] * upper[k * kBlock + j];
}

static void body(int index) {
  for (int k = 0; k < blocks; k++) {
    if (owns(index, k, k)) factor(block(k, k));
    bench::barrier();
    for (int i = k + 1; i < blocks; i++) {
      if (owns(index, k, i)) solve_row(block(k, k), block(k, i));
      if (owns(index, i, k)) solve_column(block(k, k), block(i, k));
    }
    bench::barrier();
    for (int i = k + 1; i < blocks; i++)
      for (int j = k + 1; j < blocks; j++)
        if (owns(index, i, j)) multiply(block(i, k), block(k, j), block(i, j));
    bench::barrier();
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  blocks = static_cast<int>(116 * cbrt(bench::scale));
  matrix.resize(static_cast<size_t>(blocks) * blocks * kBlock * kBlock);
  uint64_t random = 5;
  for (auto& value : matrix) value = static_cast<double>(bench::next_random(random) % 1000) / 1000;
  for (int i = 0; i < blocks; i++)
    for (int k = 0; k < kBlock; k++) block(i, i)[k * kBlock + k] += blocks * kBlock;
  bench::run(body);
  double sum = 0;
  for (auto value : matrix) sum += fabs(value);
  printf("checksum %.10g\n", sum);
}
