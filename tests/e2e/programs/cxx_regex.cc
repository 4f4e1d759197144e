// std::regex, compiled once and used by all threads; matches of texts that change.
#include <mutex>
#include <regex>
#include <string>
#include <vector>

#include "support.h"

static const std::regex pattern(R"((\w+)=(\d+))");
static std::vector<std::string> texts = {"a=1 bc=22", "none", "x=9,yy=88,zzz=777"};
static std::mutex lock;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(40); i < n; i++) {
    std::string text;
    {
      std::lock_guard guard(lock);
      std::string& shared = texts[static_cast<size_t>(index + i) % texts.size()];
      shared += " k" + std::to_string(index) + "=" + std::to_string(i);
      if (shared.size() > 80) shared = shared.substr(40);
      text = shared;
    }
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
      hash = mix(hash, static_cast<uint64_t>(at->position()) + std::stoul((*at)[2].str()));
    hash = mix(hash, std::regex_replace(text, std::regex("[aeiou]"), "#").size());
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  for (const auto& text : texts) std::puts(text.c_str());
}
