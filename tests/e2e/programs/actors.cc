// Actors: mailboxes with their own locks, a scheduler that gives ready actors to whichever thread is free.
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "support.h"

struct Actor {
  std::mutex lock;
  std::deque<int> mailbox;
  bool scheduled = false;
  uint64_t seen = 0;
};

static std::vector<std::unique_ptr<Actor>> actors;
static std::mutex lock;
static std::condition_variable ready;
static std::deque<Actor*> queue;
static int messages_left = 1200, working;

static void post(Actor& actor, int message) {
  bool wake = false;
  {
    std::lock_guard guard(actor.lock);
    actor.mailbox.push_back(message);
    wake = !actor.scheduled;
    actor.scheduled = true;
  }
  if (!wake) return;
  std::lock_guard guard(lock);
  queue.push_back(&actor);
  ready.notify_one();
}

static uint64_t body(int index) {
  uint64_t hash = static_cast<uint64_t>(index);
  for (;;) {
    Actor* actor;
    {
      std::unique_lock guard(lock);
      ready.wait(guard, [] { return !queue.empty() || working == 0; });
      if (queue.empty()) return hash;
      actor = queue.front();
      queue.pop_front();
      working++;
    }
    for (;;) {
      int message;
      {
        std::lock_guard guard(actor->lock);
        if (actor->mailbox.empty()) {
          actor->scheduled = false;
          break;
        }
        message = actor->mailbox.front();
        actor->mailbox.pop_front();
      }
      actor->seen = mix(actor->seen, static_cast<uint64_t>(message));
      hash = mix(hash, actor->seen);
      bool more;
      {
        std::lock_guard guard(lock);
        more = messages_left-- > 0;
      }
      if (more) post(*actors[actor->seen % actors.size()], message + 1);
    }
    std::lock_guard guard(lock);
    if (--working == 0 && queue.empty()) ready.notify_all();
  }
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  for (int i = 0; i < 10; i++) actors.push_back(std::make_unique<Actor>());
  for (int i = 0; i < 10; i++) post(*actors[static_cast<size_t>(i)], i * 100);
  run_threads(body);
  print_results();
  for (auto& actor : actors) std::printf("%016" PRIx64 "\n", actor->seen);
}
