// ABA: a lock-free stack without versions. While a thread is between reading `next` and its compare-and-swap, others
// pop two nodes and push the first one back; the compare succeeds, and a node that is in use becomes the top.
//
// Exit status 1 if a node is owned twice. The fix: a version counter beside the pointer, or hazard pointers.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "hiccup.h"

struct Node {
  std::atomic<Node*> next;
  std::atomic<int> owners;
};

Node nodes[3];
std::atomic<Node*> top;
std::atomic<int> owned_twice;

void push(Node* node) {
  Node* seen = top.load();
  do node->next = seen;
  while (!top.compare_exchange_weak(seen, node));
}

Node* after(Node* node) {
  Node* next = node->next;
  hiccup(15000);
  return next;
}

Node* pop() {
  Node* seen = top.load();
  while (seen != nullptr && !top.compare_exchange_weak(seen, after(seen))) {
  }
  return seen;
}

void worker() {
  for (int i = 0; i < 1500; i++) {
    Node* first = pop();
    Node* second = pop();
    for (Node* node : {first, second})
      if (node != nullptr && node->owners++ != 0) owned_twice++;
    for (Node* node : {first, second}) {
      if (node == nullptr) continue;
      node->owners--;
      push(node);
    }
    if (owned_twice > 0) return;
  }
}

int main() {
  for (Node& node : nodes) push(&node);
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; i++) workers.emplace_back(worker);
  for (auto& thread : workers) thread.join();
  std::printf("owned twice: %d\n", owned_twice.load());
  return owned_twice > 0 ? 1 : 0;
}
