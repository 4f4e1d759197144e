// Uses its libraries from two threads: own_libraries.py. The arguments are libraries to load late, one after the other.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace shelf {
struct Item;
}
extern "C" {
void tally_guarded();
void tally_hand_over();
int tally_take();
void tally_count();
void tally_race();
void tally_visit(void (*visit)(void*), void* what);
}
void shelf_put(int number);
size_t shelf_size();
void shelf_refuse(int number);
shelf::Item* shelf_book();
void shelf_race(shelf::Item* item);

static int seen, visits[2], refused[2];
int unguarded;

// Whatever is ordered comes first: nothing orders the races after it.
static void work(int number, shelf::Item* item) {
  if (number == 0) tally_hand_over();
  else seen = tally_take();
  for (int i = 0; i < 20; i++) {
    tally_guarded();
    shelf_put(i);
    tally_count();
    try {
      shelf_refuse(i);
    } catch (const std::runtime_error&) {
      refused[number]++;
    }
  }
  tally_visit([](void* what) { ++*static_cast<int*>(what); }, &visits[number]);
  tally_race();
  shelf_race(item);
  unguarded++;  // races
}

static void use(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  auto race = library ? reinterpret_cast<void (*)()>(dlsym(library, "plugin_race")) : nullptr;
  if (!race) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  std::thread one(race), other(race);
  one.join();
  other.join();
  dlclose(library);
}

int main(int argc, char** argv) {
  shelf::Item* item = shelf_book();
  std::thread one(work, 0, item), other(work, 1, item);
  one.join();
  other.join();
  // Each thread maps things in a region of its own.
  for (int i = 1; i < argc; i++) {
    if (i % 2 == 0) std::thread(use, argv[i]).join();
    else use(argv[i]);
  }
  std::printf("%d %d %d %d %d %zu\n", seen, visits[0], visits[1], refused[0], refused[1], shelf_size());
}
