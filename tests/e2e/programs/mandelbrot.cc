// The Mandelbrot set with rows from a shared counter; the schedule is printed beside the picture.
#include <atomic>
#include <complex>

#include "support.h"

constexpr int kRows = 48, kColumns = 100;
char picture[kRows][kColumns + 1];
int owner[kRows];
std::atomic<int> next_row;

static uint64_t body(int index) {
  uint64_t points = 0;
  for (int row; (row = next_row.fetch_add(1, std::memory_order_relaxed)) < kRows;) {
    owner[row] = index;
    for (int column = 0; column < kColumns; column++) {
      double cr = -2.2 + column * 0.03, ci = -1.2 + row * 0.05, zr = 0, zi = 0;
      int i = 0;
      for (; i < 200 && zr * zr + zi * zi < 4; i++) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
      }
      picture[row][column] = " .:-=+*#%@"[i * 9 / 200];
      points++;
    }
  }
  return points;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int row = 0; row < kRows; row++) std::printf("%s %d\n", picture[row], owner[row]);
  print_results();
}
