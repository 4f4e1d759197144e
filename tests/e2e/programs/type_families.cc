// Virtual and multiple inheritance, dynamic_cast, typeid, variant, any, function and optional, in objects that race.
#include <any>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <variant>
#include <vector>

#include "support.h"

struct Base {
  virtual ~Base() = default;
  virtual int value() const = 0;
  int field = 0;
};
struct Left : virtual Base {
  int value() const override { return field + 1; }
};
struct Right : virtual Base {
  int value() const override { return field + 2; }
  int other = 7;
};
struct Both : Left, Right {
  int value() const override { return field + other; }
};

static std::vector<std::unique_ptr<Base>> objects;
static std::atomic<int> chosen{0};

static uint64_t body(int index) {
  uint64_t hash = 0;
  std::function<int(int)> add = [index](int x) { return x + index; };
  std::any any;
  for (int i = 0, n = share_of(1000); i < n; i++) {
    Base* object = objects[static_cast<size_t>(chosen.fetch_add(index + 1)) % objects.size()].get();
    object->field = add(object->field);
    hash = mix(hash, static_cast<uint64_t>(object->value()));
    if (auto* right = dynamic_cast<Right*>(object)) hash = mix(hash, static_cast<uint64_t>(right->other++));
    hash = mix(hash, typeid(*object).hash_code() % 1000);
    std::variant<int, std::string, double> mixed = object->field;
    if (i % 3 == 1) mixed = std::to_string(object->field);
    if (i % 3 == 2) mixed = object->field / 3.0;
    hash = mix(hash, std::visit([](const auto& v) { return static_cast<uint64_t>(sizeof v); }, mixed));
    any = i % 2 ? std::any(object->field) : std::any(std::string("text"));
    hash = mix(hash, any.type() == typeid(int) ? static_cast<uint64_t>(std::any_cast<int>(any)) : 3);
    std::optional<int> maybe = object->field % 2 ? std::optional<int>(object->field) : std::nullopt;
    add = [index, maybe](int x) { return x + index + maybe.value_or(1) % 5; };
    yield_every(i, 50);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < 9; i++) {
    if (i % 3 == 0) objects.push_back(std::make_unique<Left>());
    else if (i % 3 == 1) objects.push_back(std::make_unique<Right>());
    else objects.push_back(std::make_unique<Both>());
  }
  run_threads(body);
  print_results();
}
