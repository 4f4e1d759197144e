// Transfers between accounts with a lock each, and an auditor that reads without any.
#include <mutex>

#include "support.h"

struct Account {
  std::mutex lock;
  long balance = 1000;
} accounts[16];

static void transfer(int from, int to, long amount) {
  if (from == to) return;
  std::scoped_lock both(accounts[from].lock, accounts[to].lock);
  if (accounts[from].balance < amount) return;
  accounts[from].balance -= amount;
  accounts[to].balance += amount;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  uint32_t random = static_cast<uint32_t>(index) * 3 + 1;
  for (int i = 0, n = share_of(6000); i < n; i++) {
    uint32_t r = next_random(&random);
    transfer(static_cast<int>(r % 16), static_cast<int>(r >> 8) & 15, static_cast<long>(r >> 16) % 700);
    if (i % 4 == 0) {
      long sum = 0;
      for (auto& account : accounts) sum += account.balance;
      hash = mix(hash, static_cast<uint64_t>(sum));
    }
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  long sum = 0;
  for (auto& account : accounts) {
    std::printf("%ld ", account.balance);
    sum += account.balance;
  }
  std::printf("= %ld\n", sum);
  print_results();
}
