#include "driver/response_file.h"

#include <fstream>
#include <iterator>

namespace ana {

constexpr int kMaxDepth = 16;

static std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == quote) {
        quote = 0;
      } else {
        if (c == '\\' && quote == '"' && i + 1 < text.size()) c = text[++i];
        word += c;
      }
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == '"' || c == '\'') {
      quote = c;
    } else {
      if (c == '\\' && i + 1 < text.size()) c = text[++i];
      word += c;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::optional<std::vector<std::string>> read_response_file(const std::string& path, int depth) {
  std::ifstream file(path, std::ios::binary);
  if (!file || depth > kMaxDepth) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> result;
  for (std::string& word : split(text)) {
    if (word.size() > 1 && word[0] == '@') {
      if (auto inner = read_response_file(word.substr(1), depth + 1)) {
        result.insert(result.end(), inner->begin(), inner->end());
        continue;
      }
    }
    result.push_back(std::move(word));
  }
  return result;
}

}  // namespace ana
