#include <iostream>

#include "part.h"

int main() {
  for (int index : collect(4)) std::cout << index << ' ';
  std::cout << '\n';
}
