// Writes a file of references of a made-up program, to measure the simulator: threads that sweep over arrays of their
// own, read a shared table, update counters under a spin lock, and hand blocks of data to each other.
//
//   generate_references FILE REFERENCES [THREADS [SEED]]
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "trace/references.h"

namespace {

using ana::Reference;
using ana::ReferenceKind;

constexpr uint64_t kText = 0x401000, kPrivate = 0x7f0000000000, kTable = 0x500000, kLocks = 0x600000, kMail = 0x610000;
constexpr uint64_t kPrivateBytes = 1 << 20, kTableBytes = 1 << 18, kMailBytes = 4096;

class Program {
 public:
  Program(ana::ReferenceWriter& out, uint32_t threads, uint64_t seed) : out_(out), random_(seed), at_(threads, 0) {}

  // Somewhat more than a hundred references of one thread, as a time slice on a busy machine might be.
  void step() {
    uint32_t thread = pick(static_cast<uint32_t>(at_.size()));
    for (uint32_t i = 0, n = 1 + pick(8); i < n; i++) {
      uint32_t what = pick(100);
      if (what < 70) {
        sweep(thread);
      } else if (what < 92) {
        look_up(thread);
      } else if (what < 97) {
        count(thread);
      } else {
        hand_over(thread);
      }
    }
  }

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  void add(uint32_t thread, uint64_t address, uint32_t size, ReferenceKind kind, uint32_t site) {
    out_.add(thread, {address, size, kind, kText + 16 * site});
  }

  void sweep(uint32_t thread) {
    uint64_t base = kPrivate + thread * 16 * kPrivateBytes;
    for (uint32_t i = 0; i < 12; i++) {
      uint64_t& at = at_[thread];
      add(thread, base + at, 8, ReferenceKind::read, 1);
      add(thread, base + (at + 8) % kPrivateBytes, 8, ReferenceKind::read, 2);
      add(thread, base + at, 8, ReferenceKind::write, 3);
      at = (at + 8) % kPrivateBytes;
    }
  }
  void look_up(uint32_t thread) {
    uint64_t at = kTable + 64 * pick(kTableBytes / 64);
    for (uint32_t i = 0; i < 8; i++) add(thread, at + 4 * i, 4, ReferenceKind::read, 4);
    if (pick(50) == 0) add(thread, at, 4, ReferenceKind::write, 5);
  }
  void count(uint32_t thread) {
    uint64_t lock = kLocks + 64 * pick(16);
    add(thread, lock, 4, ReferenceKind::update, 6);
    add(thread, lock + 8, 8, ReferenceKind::read, 7);
    add(thread, lock + 8, 8, ReferenceKind::write, 8);
    add(thread, lock, 4, ReferenceKind::write, 9);
  }
  void hand_over(uint32_t thread) {
    auto threads = static_cast<uint32_t>(at_.size());
    uint64_t mine = kMail + thread * kMailBytes, theirs = kMail + (thread + threads - 1) % threads * kMailBytes;
    uint64_t offset = 64 * pick(kMailBytes / 64);
    add(thread, mine + offset, 64, ReferenceKind::write, 10);
    for (uint32_t i = 0; i < 8; i++) add(thread, theirs + offset + 8 * i, 8, ReferenceKind::read, 11);
    add(thread, theirs + offset + 1, 1, ReferenceKind::read, 12);
  }

  ana::ReferenceWriter& out_;
  std::mt19937_64 random_;
  std::vector<uint64_t> at_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    fmt::print(stderr, "usage: generate_references FILE REFERENCES [THREADS [SEED]]\n");
    return 2;
  }
  uint64_t wanted = std::strtoull(argv[2], nullptr, 10);
  uint64_t threads = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 4;
  auto out = ana::ReferenceWriter::create(argv[1]);
  if (!out) {
    fmt::print(stderr, "{}\n", out.error().text);
    return 1;
  }
  Program program(*out, static_cast<uint32_t>(threads), argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
  while (out->references() < wanted) program.step();
  if (ana::Status s = out->finish(); !s) {
    fmt::print(stderr, "{}\n", s.error().text);
    return 1;
  }
}
