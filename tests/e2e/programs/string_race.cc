// std::string: characters raced on in place; growing, searching and formatting under a lock.
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "support.h"

std::mutex lock;
std::string journal, in_place(200, '.');
std::vector<std::string> words;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(2000); i < n; i++) {
    in_place[static_cast<size_t>(i * 7 + index) % in_place.size()]++;
    hash = mix(hash, static_cast<unsigned char>(in_place[static_cast<size_t>(i) % in_place.size()]));
    {
      std::lock_guard guard(lock);
      journal += static_cast<char>('a' + index % 26);
      words.push_back(journal.substr(journal.size() > 5 ? journal.size() - 5 : 0));
      if (journal.size() > 300) journal.erase(0, 150);
      if (words.size() > 50) words.erase(words.begin(), words.begin() + 20);
      hash = mix(hash, journal.find("ab") + words.back().size());
    }
    if (i % 16 == 0) {
      std::ostringstream out;
      out << index << ':' << i << ' ' << 1.5 * i << ' ' << std::hex << hash % 4096;
      std::lock_guard guard(lock);
      words.push_back(out.str());
    }
    yield_every(i, 64);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  std::printf("%s\n%s\n", journal.c_str(), in_place.c_str());
  for (auto& word : words) std::printf("%s\n", word.c_str());
  print_results();
}
