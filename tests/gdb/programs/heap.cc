// Objects on the heap: a list that two threads build under a lock, and a block that is used again after it was freed.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Item {
  int value;
  Item* next;
};

std::mutex lock;
Item* head;
std::vector<std::string> names;
Item *old_use, *new_use;

void push(int value) {
  std::lock_guard guard(lock);
  Item* item = new Item{value, head};
  head = item;
}

void build(int first) {
  for (int i = 0; i < 5; i++)
    push(first + i);
}

void use_again() {
  old_use = static_cast<Item*>(std::malloc(sizeof(Item)));
  old_use->value = 11;
  std::free(old_use);
  new_use = static_cast<Item*>(std::malloc(sizeof(Item)));
  new_use->value = 22;
}

int main() {
  std::thread one(build, 100), two(build, 200);
  one.join();
  two.join();
  for (Item* item = head; item; item = item->next) names.push_back(std::to_string(item->value));
  use_again();
  int sum = 0;
  for (Item* item = head; item; item = item->next) sum += item->value;
  std::printf("sum %d, %zu names\n", sum, names.size());
}
