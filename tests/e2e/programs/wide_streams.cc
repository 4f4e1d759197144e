// Wide streams, wide strings that race, codecvt by locales.
#include <cwchar>
#include <iostream>
#include <locale>
#include <mutex>
#include <sstream>
#include <string>

#include "support.h"

static std::wstring shared = L"start";
static std::mutex lock;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(200); i < n; i++) {
    std::wostringstream out;
    out << index << L" \x00e4 " << i * 1.5 << L' ' << std::hex << i;
    {
      std::lock_guard guard(lock);
      shared += out.str().substr(0, 3);
      if (shared.size() > 60) shared.erase(0, 30);
    }
    for (wchar_t c : shared.substr(0, 5)) hash = mix(hash, static_cast<uint64_t>(c));  // races
    std::wistringstream in(out.str());
    int number = 0;
    in >> number;
    hash = mix(hash, static_cast<uint64_t>(number) + shared.find(L'1'));
    yield_every(i, 15);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < threads; i++) std::wcout << L"thread " << i << L" saw " << results[i] << std::endl;
  std::wcout << shared.size() << std::endl;
}
