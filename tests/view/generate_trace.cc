// generate_trace DIRECTORY EVENTS THREADS SEED: a trace with about so many events in its picture. Threads take edges
// from each other at random, at a few sites, between system calls; every edge names a publication of its own, so that
// half of the events are edges' other ends.
#include <stdio.h>
#include <stdlib.h>

#include <random>

#include "trace_builder.h"

namespace {

constexpr uint32_t kSites = 40;

std::vector<ana::StreamEncoder> generate(uint64_t events, uint32_t threads, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ana::StreamEncoder> streams(threads);
  std::vector<uint64_t> count(threads, 1), edges(threads, 0);
  for (uint32_t i = 0; i < threads; i++) {
    if (i > 0) streams[0].value(count[0]++, ana::kOpCreate, i);
    streams[i].value(count[i]++, ana::kOpThreadStart, 1000 + i, std::string(8, static_cast<char>(i)));
  }
  for (uint64_t made = 0; made < events;) {
    uint32_t to = static_cast<uint32_t>(random() % threads);
    uint32_t from = static_cast<uint32_t>((to + 1 + random() % (threads - 1)) % threads);
    if (random() % 8 == 0) {
      streams[to].value(count[to]++, 0, 64, "line " + std::to_string(random() % 1000));
      made++;
      continue;
    }
    uint64_t site = random() % 3 == 0 ? ana::kSiteOperation : 0x400000 + 16 * (random() % kSites);
    count[to] += 1 + random() % 30;
    // What the source has done so far; then it goes on.
    streams[to].edge({count[to], site, from, count[from], edges[from]});
    edges[to]++;
    count[from]++;
    made += 2;
  }
  for (uint32_t i = 0; i < threads; i++) streams[i].value(count[i] + 1, ana::kOpThreadEnd);
  return streams;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: generate_trace DIRECTORY EVENTS THREADS SEED\n");
    return 2;
  }
  uint64_t events = strtoull(argv[2], nullptr, 10), seed = strtoull(argv[4], nullptr, 10);
  uint32_t threads = static_cast<uint32_t>(strtoul(argv[3], nullptr, 10));
  if (threads < 2) {
    fprintf(stderr, "generate_trace: at least two threads are needed to take edges from each other\n");
    return 2;
  }
  ana::TraceContents contents;
  for (ana::StreamEncoder& stream : generate(events, threads, seed)) contents.streams.push_back(stream.take());
  ana::write_trace(argv[1], contents);
  return 0;
}
