// A library of own_libraries.py in C++: virtual functions, a container under a lock, an exception that leaves it.
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace shelf {

long weight;

struct Item {
  virtual ~Item() = default;
  virtual void add() = 0;
};

}  // namespace shelf

namespace {

struct Book : shelf::Item {
  void add() override { shelf::weight += 2; }  // races
};

std::mutex lock;
std::vector<std::string> titles;

}  // namespace

void shelf_put(int number) {
  std::lock_guard guard(lock);
  titles.push_back("a title that is too long to be kept in the string itself " + std::to_string(number));
}

size_t shelf_size() {
  std::lock_guard guard(lock);
  return titles.size();
}

void shelf_refuse(int number) {
  std::string text = "there is no shelf " + std::to_string(number);
  throw std::runtime_error(text);
}

shelf::Item* shelf_book() { return new Book; }
void shelf_race(shelf::Item* item) { item->add(); }
