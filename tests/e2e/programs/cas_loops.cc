// compare_exchange, weak and strong, on integers, pointers, enumerations and small structs; every fetch_ operation.
#include <atomic>

#include "support.h"

enum class Colour : unsigned char { kRed, kGreen, kBlue };
struct Small {
  short a, b;
};

std::atomic<int> number;
std::atomic<Colour> colour;
std::atomic<Small> small_value;
std::atomic<const char*> cursor;
const char text[] = "somewhere in this sentence the cursor stops";

static uint64_t body(int index) {
  uint64_t hash = 0, failures = 0;
  for (int i = 0, n = share_of(8000); i < n; i++) {
    int seen = number.load(std::memory_order_relaxed);
    while (!number.compare_exchange_weak(seen, seen * 5 + index, std::memory_order_acq_rel)) failures++;
    Colour expected = static_cast<Colour>(i % 3);
    hash = mix(hash, colour.compare_exchange_strong(expected, static_cast<Colour>((i + 1) % 3)));
    hash = mix(hash, static_cast<uint64_t>(expected));
    Small old = small_value.load();
    while (!small_value.compare_exchange_strong(old, Small{static_cast<short>(old.b + 1), old.a})) failures++;
    hash = mix(hash, static_cast<uint64_t>(old.a * 1000 + old.b));
    const char* at = cursor.fetch_add(1);
    if (at - text >= 40) cursor.fetch_sub(30, std::memory_order_release);
    hash = mix(hash, static_cast<uint64_t>(at - text));
    number.fetch_and(0xffffff);
    number |= 1 << (index % 20);
    hash = mix(hash, static_cast<uint64_t>(number.fetch_xor(i)));
    number -= 3;
    yield_every(i, 128);
  }
  return mix(hash, failures);
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  cursor = text;
  run_threads(body);
  std::printf("%d %d %d\n", number.load(), small_value.load().a, static_cast<int>(cursor.load() - text));
  print_results();
}
