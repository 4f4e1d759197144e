// A thread spoils a pointer that another one then uses: the crash is far from its cause.
#include <cstdio>
#include <thread>

struct Node {
  int value;
  Node* next;
};

Node second{2, nullptr}, first{1, &second};
Node* list = &first;

void spoil() {
  second.next = reinterpret_cast<Node*>(16);
}

int sum(Node* node) {
  int all = 0;
  while (node != nullptr) {
    all += node->value;
    node = node->next;
  }
  return all;
}

int main() {
  std::printf("before: %d\n", sum(list));
  std::thread(spoil).join();
  std::printf("after: %d\n", sum(list));
}
