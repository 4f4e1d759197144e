// chrono clocks, random_device, mt19937 seeded by it, thread ids, hardware_concurrency, sleep_for.
#include <chrono>
#include <iostream>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "support.h"

static void work(int index, std::string& line) {
  std::random_device device;
  std::mt19937 engine(device());
  std::uniform_int_distribution<int> dice(1, 6);
  std::normal_distribution<double> bell(0, 1);
  auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::microseconds(dice(engine) * 20));
  auto took = std::chrono::steady_clock::now() - start;
  std::ostringstream out;
  out << index << ": id " << std::this_thread::get_id() << " dice " << dice(engine) << dice(engine) << " bell "
      << bell(engine) << " took " << took.count() << " at "
      << std::chrono::high_resolution_clock::now().time_since_epoch().count() << " entropy " << device.entropy();
  line = out.str();
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::vector<std::string> lines(static_cast<size_t>(threads));
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++) pool.emplace_back(work, i, std::ref(lines[static_cast<size_t>(i)]));
  for (auto& thread : pool) thread.join();
  for (auto& line : lines) std::cout << line << '\n';
  std::cout << std::thread::hardware_concurrency() << " processors, now "
            << std::chrono::system_clock::now().time_since_epoch().count() << '\n';
}
