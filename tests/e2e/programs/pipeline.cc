// A pipeline of stages with bounded queues between them: words in, counts out, stages with several workers.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support.h"

template <class T>
class Channel {
 public:
  void send(T value) {
    std::unique_lock guard(lock_);
    room_.wait(guard, [&] { return items_.size() < 8; });
    items_.push_back(std::move(value));
    more_.notify_one();
  }
  std::optional<T> receive() {
    std::unique_lock guard(lock_);
    more_.wait(guard, [&] { return !items_.empty() || closed_; });
    if (items_.empty()) return std::nullopt;
    T value = std::move(items_.front());
    items_.pop_front();
    room_.notify_one();
    return value;
  }
  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    more_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable room_, more_;
  std::deque<T> items_;
  bool closed_ = false;
};

static Channel<std::string> lines;
static Channel<std::pair<std::string, int>> words;
static std::map<std::string, int> counts;
static std::string order;

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  std::vector<std::thread> splitters;
  std::atomic<int> left{threads};
  for (int i = 0; i < threads; i++) {
    splitters.emplace_back([&, i] {
      while (auto line = lines.receive()) {
        for (size_t at = 0, end; at < line->size(); at = end + 1) {
          end = std::min(line->find(' ', at), line->size());
          words.send({line->substr(at, end - at), i});
        }
      }
      if (--left == 0) words.close();
    });
  }
  std::thread counter([] {
    while (auto word = words.receive()) {
      counts[word->first]++;
      order += static_cast<char>('a' + word->second % 26);
    }
  });
  for (int i = 0; i < 200; i++)
    lines.send("the answer to question " + std::to_string(i) + " is in line " + std::to_string(i * 7 % 50));
  lines.close();
  for (auto& thread : splitters) thread.join();
  counter.join();
  uint64_t hash = 0;
  for (char c : order) hash = mix(hash, static_cast<uint64_t>(c));
  std::printf("%zu words, order %016" PRIx64 ", the %d\n", counts.size(), hash, counts["the"]);
}
