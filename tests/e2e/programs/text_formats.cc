// to_chars and from_chars, string streams, locales of streams, manipulators, on numbers that race.
#include <charconv>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

#include "support.h"

static double shared_value = 1;
static long shared_number = 1;

static uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0;
  for (char c : text) hash = mix(hash, static_cast<uint64_t>(c));
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(300); i < n; i++) {
    shared_value = shared_value * 1.25 + index;
    if (shared_value > 1e12) shared_value = 1;
    shared_number = shared_number * 3 + index;
    char text[64];
    auto [end, error] = std::to_chars(text, text + sizeof text, shared_number, i % 2 ? 16 : 10);
    long back = 0;
    std::from_chars(text, end, back, i % 2 ? 16 : 10);
    hash = mix(hash, static_cast<uint64_t>(back) + static_cast<uint64_t>(error == std::errc()));
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << std::setw(12) << std::setfill('*') << std::fixed << std::setprecision(3) << shared_value << std::hex
        << std::showbase << shared_number << std::boolalpha << (index == 1);
    hash = mix(hash, hash_of(out.str()));
    std::istringstream in(out.str());
    std::string word;
    std::getline(in, word, '0');
    hash = mix(hash, word.size());
    yield_every(i, 20);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%.6g %ld\n", shared_value, shared_number);
}
