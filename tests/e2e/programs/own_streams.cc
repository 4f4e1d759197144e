// Stream buffers and facets of the program's own, tied and redirected streams, exceptions of streams.
#include <iostream>
#include <locale>
#include <mutex>
#include <sstream>
#include <streambuf>
#include <string>

#include "support.h"

class Counting : public std::streambuf {
 public:
  size_t count = 0;

 protected:
  int overflow(int c) override {
    count++;
    last_ = static_cast<char>(c);
    return c;
  }
  std::streamsize xsputn(const char* from, std::streamsize n) override {
    count += static_cast<size_t>(n);
    last_ = from[n - 1];
    return n;
  }

 private:
  char last_ = 0;
};

struct Points : std::numpunct<char> {
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

static Counting shared;
static std::ostream common(&shared);
static std::mutex lock;

static uint64_t body(int index) {
  uint64_t hash = 0;
  std::locale grouped(std::locale::classic(), new Points);
  for (int i = 0, n = share_of(150); i < n; i++) {
    {
      std::lock_guard guard(lock);
      common << "thread " << index << ' ' << i * 1000 << '\n';
    }
    hash = mix(hash, shared.count);  // races
    std::stringstream text;
    text.imbue(grouped);
    text << i * 12345 << ' ' << index;
    std::string first;
    text >> first;
    hash = mix(hash, first.size());
    text.exceptions(std::ios::failbit);
    try {
      int number;
      text >> number;
      text >> number;
    } catch (const std::ios_base::failure&) {
      hash = mix(hash, 7);
    }
    yield_every(i, 20);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::ostringstream kept;
  std::streambuf* before = std::cout.rdbuf(kept.rdbuf());
  std::cout << "kept " << shared.count;
  std::cout.rdbuf(before);
  std::cout << kept.str() << std::endl;
}
