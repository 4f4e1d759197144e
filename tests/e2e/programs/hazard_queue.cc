// The queue of Michael and Scott, with hazard pointers and real frees.
#include <atomic>
#include <vector>

#include "support.h"

struct Node {
  int value;
  std::atomic<Node*> next{nullptr};
};

std::atomic<Node*> head, tail;
std::atomic<Node*> hazards[kMaxThreads + 1][2];

static Node* protect(std::atomic<Node*>& source, std::atomic<Node*>& hazard) {
  for (;;) {
    Node* node = source.load();
    hazard.store(node);
    if (source.load() == node) return node;
  }
}

static void enqueue(int me, int value) {
  Node* node = new Node{value};
  for (;;) {
    Node* last = protect(tail, hazards[me][0]);
    Node* next = last->next.load();
    if (next != nullptr) {
      tail.compare_exchange_strong(last, next);
    } else if (last->next.compare_exchange_strong(next, node)) {
      tail.compare_exchange_strong(last, node);
      break;
    }
  }
  hazards[me][0].store(nullptr);
}

static void reclaim(std::vector<Node*>& retired) {
  std::vector<Node*> kept;
  for (Node* node : retired) {
    bool held = false;
    for (int t = 0; t <= threads; t++) held |= hazards[t][0].load() == node || hazards[t][1].load() == node;
    if (held) kept.push_back(node); else delete node;
  }
  retired.swap(kept);
}

static bool dequeue(int me, int& value, std::vector<Node*>& retired) {
  for (;;) {
    Node* first = protect(head, hazards[me][0]);
    Node* last = tail.load();
    Node* next = protect(first->next, hazards[me][1]);
    if (head.load() != first) continue;
    if (next == nullptr) return false;
    if (first == last) {
      tail.compare_exchange_strong(last, next);
      continue;
    }
    value = next->value;
    if (!head.compare_exchange_strong(first, next)) continue;
    hazards[me][0].store(nullptr);
    hazards[me][1].store(nullptr);
    retired.push_back(first);
    if (retired.size() >= 32) reclaim(retired);
    return true;
  }
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  std::vector<Node*> retired;
  for (int i = 0, n = share_of(4000); i < n; i++) {
    enqueue(index, index * 100000 + i);
    int value = -1;
    if (i % 2 == 0 && dequeue(index, value, retired)) hash = mix(hash, static_cast<uint64_t>(value));
    yield_every(i, 64);
  }
  hazards[index][0].store(nullptr);
  hazards[index][1].store(nullptr);
  while (!retired.empty()) {
    reclaim(retired);
    sched_yield();
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  head = tail = new Node{0};
  run_threads(body);
  uint64_t left = 0;
  std::vector<Node*> retired;
  for (int value; dequeue(threads, value, retired);) left = mix(left, static_cast<uint64_t>(value));
  for (int k = 0; k < 2; k++) hazards[threads][k].store(nullptr);
  reclaim(retired);
  std::printf("left %016" PRIx64 "\n", left);
  print_results();
  delete head.load();
}
