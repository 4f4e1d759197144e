#include "mpi/adaptive.h"

#include "mpi/library.h"

namespace ana::mpi {

namespace {

constexpr uint64_t kLargestSample = 16384;  // receives
constexpr uint64_t kFew = 4;                // one in so many

bool saving = false, adaptive = false;
uint64_t receives = 0;  // since it began, or since the sample did
uint64_t patience = 0, sample = 0;
uint64_t saved_before = 0;

}  // namespace

void start_adaptive(uint64_t wanted) {
  saving = adaptive = true;
  patience = wanted;
  sample = wanted < kLargestSample ? wanted : kLargestSample;
}

bool saves_all() { return saving; }

bool changes_way() {
  if (!adaptive || ++receives < (saving ? patience : sample)) return false;
  uint64_t saved = g.header->traced - saved_before;
  receives = 0;
  saved_before = g.header->traced;
  if (!saving && saved <= sample / kFew) return false;
  if (!saving) patience *= 2;
  saving = !saving;
  if (!saving) g.header->opened++;
  return true;
}

}  // namespace ana::mpi
