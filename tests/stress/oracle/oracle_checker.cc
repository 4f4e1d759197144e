// oracle_checker LOG TRACE [--drop PERMILLE SEED]: judges a recording of oracle_program.
//
// LOG is what the program wrote, TRACE the output of `anaphora dump --json`. With --drop, so many thousandths of the
// edges are ignored, chosen by SEED: a control, which has to fail. Exit status 0 if the edges explain every value, 1 if
// not, 2 if the input cannot be read.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "history.h"

int main(int argc, char** argv) {
  if (argc != 3 && (argc != 6 || strcmp(argv[3], "--drop") != 0)) {
    fprintf(stderr, "usage: %s LOG TRACE [--drop PERMILLE SEED]\n", argv[0]);
    return 2;
  }
  oracle::History history;
  std::string error;
  if (!oracle::read_history(argv[1], argv[2], history, error)) {
    fprintf(stderr, "%s\n", error.c_str());
    return 2;
  }
  if (!oracle::values_are_coherent(history, error)) {
    printf("FAIL values: %s\n", error.c_str());
    return 1;
  }
  uint64_t dropped = 0;
  if (argc == 6) {
    std::mt19937_64 random(strtoull(argv[5], nullptr, 0));
    uint64_t permille = strtoull(argv[4], nullptr, 0);
    for (oracle::Slot& slot : history.slots)
      for (oracle::Edge& edge : slot.edges) dropped += edge.dropped = random() % 1000 < permille;
  }
  oracle::Verdict verdict = oracle::judge(history);
  printf("%s edges %llu dropped %llu pairs %llu between %llu%s%s\n", verdict.good ? "PASS" : "FAIL",
         static_cast<unsigned long long>(history.edges()), static_cast<unsigned long long>(dropped),
         static_cast<unsigned long long>(verdict.pairs), static_cast<unsigned long long>(verdict.between_slots),
         verdict.good ? "" : ": ", verdict.first_problem.c_str());
  return verdict.good ? 0 : 1;
}
