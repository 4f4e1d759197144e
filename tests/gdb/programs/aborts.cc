// An assertion that fails in a thread, because of what another one did.
#undef NDEBUG
#include <cassert>
#include <thread>

int level = 3;

void lower(int by) {
  level -= by;
}

void examine() {
  assert(level > 0);
}

int main() {
  std::thread(lower, 2).join();
  std::thread(examine).join();
  std::thread(lower, 2).join();
  std::thread(examine).join();
}
