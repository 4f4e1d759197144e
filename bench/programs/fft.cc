// Six-step FFT of a square matrix of complex numbers: transpose, rows, twiddle, transpose, rows, transpose. n is the
// side, a power of two.

#include "bench.h"

struct Complex {
  double re, im;
};

static int side, rounds;
static Complex *data, *scratch, *roots, *twiddles;

static void transpose(const Complex* from, Complex* to, bench::Part rows) {
  constexpr int kTile = 8;
  for (int i = rows.first; i < rows.last; i += kTile)
    for (int j = 0; j < side; j += kTile)
      for (int a = i; a < i + kTile && a < rows.last; a++)
        for (int b = j; b < j + kTile && b < side; b++) to[a * side + b] = from[b * side + a];
}

static void transform_row(Complex* row) {
  for (int i = 1, j = 0; i < side; i++) {
    int bit = side >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      Complex t = row[i];
      row[i] = row[j];
      row[j] = t;
    }
  }
  for (int half = 1; half < side; half *= 2) {
    int stride = side / (2 * half);
    for (int start = 0; start < side; start += 2 * half)
      for (int k = 0; k < half; k++) {
        Complex w = roots[k * stride], a = row[start + k], b = row[start + k + half];
        Complex t = {w.re * b.re - w.im * b.im, w.re * b.im + w.im * b.re};
        row[start + k] = {a.re + t.re, a.im + t.im};
        row[start + k + half] = {a.re - t.re, a.im - t.im};
      }
  }
}

// The transform and its scaling keep the sum of the squares.
static double energy() {
  double sum = 0;
  for (int i = 0; i < side * side; i++) sum += data[i].re * data[i].re + data[i].im * data[i].im;
  return sum;
}

static void body(int index) {
  bench::Part rows = bench::part(index, side);
  for (int round = 0; round < rounds; round++) {
    transpose(data, scratch, rows);
    bench::barrier();
    for (int i = rows.first; i < rows.last; i++) {
      transform_row(scratch + i * side);
      for (int j = 0; j < side; j++) {
        Complex& c = scratch[i * side + j];
        Complex w = twiddles[i * side + j];
        c = {c.re * w.re - c.im * w.im, c.re * w.im + c.im * w.re};
      }
    }
    bench::barrier();
    transpose(scratch, data, rows);
    bench::barrier();
    for (int i = rows.first; i < rows.last; i++) transform_row(data + i * side);
    bench::barrier();
    transpose(data, scratch, rows);
    bench::barrier();
    for (int i = rows.first * side; i < rows.last * side; i++) data[i] = {scratch[i].re / side, scratch[i].im / side};
    bench::barrier();
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  rounds = bench::given_size > 0 ? 1 : bench::scaled(18);
  side = bench::given_size > 0 ? bench::given_size : 1024;
  if ((side & (side - 1)) != 0) {
    fprintf(stderr, "%s: the side, n, must be a power of two\n", argv[0]);
    return 2;
  }
  size_t size = static_cast<size_t>(side) * side;
  std::vector<Complex> storage(3 * size + side);
  data = storage.data();
  scratch = data + size;
  twiddles = scratch + size;
  roots = twiddles + size;
  uint64_t random = bench::random_state(42);
  for (size_t i = 0; i < size; i++) data[i] = {static_cast<double>(bench::next_random(random) % 1000) / 1000, 0};
  for (int i = 0; i < side; i++) roots[i] = {cos(2 * M_PI * i / side), -sin(2 * M_PI * i / side)};
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      double angle = -2 * M_PI * i * j / static_cast<double>(size);
      twiddles[i * side + j] = {cos(angle), sin(angle)};
    }
  double before = energy();
  bench::run(body);
  double after = energy();
  bench::check(fabs(after - before) <= 1e-9 * before, "the energy changed from %g to %g", before, after);
  double sum = 0;
  for (size_t i = 0; i < size; i += 97) sum += fabs(data[i].re) + fabs(data[i].im);
  return bench::finish(sum);
}
