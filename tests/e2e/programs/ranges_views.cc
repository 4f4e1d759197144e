// Ranges, views, spans, string views and tuples over data that other threads change.
#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "support.h"

static std::array<int, 256> numbers;
static char letters[] = "the quick brown fox jumps over the lazy dog";

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(200); i < n; i++) {
    std::span<int> part(numbers.data() + (i * 16 + index) % 200, 50);
    part[static_cast<size_t>(i) % 50] += index + i;
    auto chosen = part | std::views::filter([](int x) { return x % 2 == 0; }) |
                  std::views::transform([](int x) { return x * 3; }) | std::views::take(10);
    for (int value : chosen) hash = mix(hash, static_cast<uint64_t>(value));
    letters[(i * 7 + index) % 40] = static_cast<char>('a' + i % 26);
    std::string_view text(letters);
    for (auto word : text | std::views::split(' ')) hash = mix(hash, static_cast<uint64_t>(std::ranges::distance(word)));
    auto [least, most] = std::ranges::minmax(part);
    hash = mix(hash, static_cast<uint64_t>(std::get<0>(std::tuple(least, most, 'x'))) + static_cast<uint64_t>(most));
    yield_every(i, 15);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::ranges::copy(std::views::iota(0, 256), numbers.begin());
  run_threads(body);
  print_results();
  std::puts(letters);
}
