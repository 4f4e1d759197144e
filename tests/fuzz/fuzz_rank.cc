// The file of an MPI rank as it is; its bytes as a block of a file that is otherwise intact; and as the events of one
// stream, as a replay decodes them.
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <filesystem>

#include "mpi/schedule.h"
#include "scratch.h"
#include "trace/rank_trace.h"
#include "trace/trace_directory.h"

using namespace ana;

namespace {

void decode(const uint8_t* data, size_t size) {
  mpi::Schedule schedule;
  (void)schedule.decode(data, size);
  for (void* list : {static_cast<void*>(schedule.matches.items), static_cast<void*>(schedule.answers.items),
                     static_cast<void*>(schedule.checks.items), static_cast<void*>(schedule.turns.items)})
    free(list);
  for (auto& list : schedule.traced) free(list.items);
  for (auto& list : schedule.unmatched) free(list.items);
}

void read(const std::string& file) {
  write_file(scratch() / "rank-0", file);
  auto directory = open_trace_directory(scratch().path());
  if (!directory) return;
  auto trace = read_rank(directory->get(), 0);
  if (!trace) return;
  for (const RankStream& s : trace->streams) {
    if (!find_damage(s)) decode(s.bytes.data(), s.bytes.size());
  }
}

std::string live_file() {
  RankTrace trace;
  trace.ranks = 2;
  trace.mpi = "mpich";
  trace.command = {"./app"};
  std::filesystem::remove(scratch() / "rank-0");
  auto directory = open_trace_directory(scratch().path());
  if (!directory || !create_live_rank(directory->get(), trace)) abort();
  std::string file = read_file(scratch() / "rank-0");
  file.resize(file.size() + kLiveBlockBytes);
  reinterpret_cast<LiveHeader*>(file.data())->blocks++;
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RankStream stream;
  stream.bytes.assign(data, data + size);
  if (!find_damage(stream)) decode(data, size);
  read(text_of(data, size));
  static const std::string live = live_file();
  std::string file = live;
  memcpy(file.data() + file.size() - kLiveBlockBytes, data, std::min<size_t>(size, kLiveBlockBytes));
  read(file);
  return 0;
}
