#include "mpi/inside.h"

#include <stdlib.h>

extern "C" __attribute__((visibility("hidden"))) void ana_inside_call(ana::mpi::Frame* frame);

namespace ana::mpi {

namespace {

constexpr uint32_t kStackWords = kOutsideWords - 6;

uint64_t call_back(const OutsideRequest& request) {
  auto* function = reinterpret_cast<uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)>(
      request.callback);
  const uint64_t* w = request.callback_words;
  return function(w[0], w[1], w[2], w[3], w[4], w[5]);
}

// Memory that the program asks MPI for is the program's: at the same addresses in a replay.
bool is_ours(Frame& frame) {
  switch (frame.number) {
    case k_MPI_Alloc_mem:
    case k_PMPI_Alloc_mem: {
      void* block = malloc(frame.word(0));
      *reinterpret_cast<void**>(frame.word(2)) = block;
      frame.result = block != nullptr ? MPI_SUCCESS : MPI_ERR_NO_MEM;
      return true;
    }
    case k_MPI_Free_mem:
    case k_PMPI_Free_mem:
      free(reinterpret_cast<void*>(frame.word(0)));
      frame.result = MPI_SUCCESS;
      return true;
  }
  return false;
}

}  // namespace

void go(Frame& frame, const OutsideRange* before, uint32_t count) {
  OutsidePage& page = outside_page();
  OutsideRequest& request = *page.begin();
  request.function = page.symbols[frame.number];
  request.site = frame.site;
  for (uint32_t i = 0; i < 6; i++) request.words[i] = frame.registers[i];
  // More than there are arguments: what lies above them is the caller's frame, and is not looked at.
  bool deep = frame.site != 0;
  for (uint32_t i = 0; i < kStackWords; i++) request.words[6 + i] = deep ? frame.stack[i] : 0;
  replace_callbacks(frame, request.words);
  OutsideState state = page.enter(OutsideState::kCalled, before, count);
  while (state == OutsideState::kCallback) {
    page.leave(nullptr, 0);
    uint64_t result = call_back(request);
    request.callback_result = result;
    state = page.enter(OutsideState::kResumed, nullptr, 0);
  }
  frame.result = request.result;
  frame.floating = request.number;
}

void come_back(const OutsideRange* after, uint32_t count) { outside_page().leave(after, count); }

}  // namespace ana::mpi

using namespace ana::mpi;

void ana_inside_call(Frame* frame) {
  if (is_ours(*frame)) return;
  Ranges before, after;
  Buffers buffers(*frame);
  buffers.before(before);
  go(*frame, before.range, before.count);
  buffers.after(after);
  come_back(after.range, after.count);
}
