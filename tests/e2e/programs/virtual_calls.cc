// Virtual calls through pointers that others exchange; multiple inheritance, dynamic_cast, member pointers,
// std::function.
#include <functional>
#include <memory>

#include "support.h"

struct Shape {
  virtual ~Shape() = default;
  virtual long area(long scale) const = 0;
};
struct Named {
  virtual ~Named() = default;
  virtual int length() const { return 3; }
};
struct Square : Shape, Named {
  long area(long scale) const override { return scale * scale; }
};
struct Strip : Shape {
  long area(long scale) const override { return scale * 7; }
};
struct Tall : Square {
  int length() const override { return 9; }
};

Square square;
Strip strip;
Tall tall;
Shape* shapes[3] = {&square, &strip, &tall};
long (Shape::*measure)(long) const = &Shape::area;
std::function<long(long)> functions[2] = {[](long v) { return v + 1; }, [](long v) { return v * 2; }};
long total = 1;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(15000); i < n; i++) {
    Shape* one = shapes[i % 3];
    shapes[i % 3] = shapes[(i + index) % 3];
    shapes[(i + index) % 3] = one;
    total = total * 3 + (shapes[(i + 1) % 3]->*measure)(i % 10) + functions[i & 1](total);
    if (auto* named = dynamic_cast<Named*>(one)) total += named->length();
    hash = mix(hash, static_cast<uint64_t>(total));
    yield_every(i, 256);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  std::printf("total %ld\n", total);
  print_results();
}
