// cout, cerr and clog from many threads; the pieces of the lines mix.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include "support.h"

static void work(int index) {
  for (int i = 0, n = share_of(300); i < n; i++) {
    std::cout << "thread " << index << " step " << i << ' ' << std::setw(6) << i * 0.5 << '\n';
    if (i % 10 == 0) std::cerr << "error from " << index << std::endl;
    if (i % 16 == 0) std::clog << "log " << i << '\n' << std::flush;
    if (i % 8 == 0) std::cout << std::flush;
  }
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++) pool.emplace_back(work, i);
  for (auto& thread : pool) thread.join();
  std::cout << "end" << std::endl;
}
