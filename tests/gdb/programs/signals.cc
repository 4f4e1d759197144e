// A handler that is entered three times.
#include <csignal>
#include <cstdio>

volatile std::sig_atomic_t seen;

void handle(int) { seen = seen + 1; }

int main() {
  std::signal(SIGUSR1, handle);
  for (int i = 0; i < 3; i++) std::raise(SIGUSR1);
  std::printf("seen %d\n", static_cast<int>(seen));
}
