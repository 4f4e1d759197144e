// Simulates the caches of a multiprocessor: each thread runs a processor of the simulated machine through n references
// (so the work grows with the threads). The caches are direct-mapped and kept coherent by invalidation; a lock for each
// set guards the frames of that set in all caches. Which references hit depends on the order: the checksum differs from
// run to run.
#include "bench.h"

enum State : int { kInvalid, kShared, kModified };
struct Frame {
  int line;
  State state;
};
struct alignas(64) Counts {
  int64_t hits, misses, evictions, invalidations, writebacks;
};

constexpr int kSets = 256, kPrivateLines = 2048, kSharedLines = 1024;
static int references;
static std::vector<Frame> frames;  // [set][cache]
static std::vector<bench::SpinLock> locks;
static std::vector<Counts> counts;

static Frame& frame(int set, int cache) { return frames[static_cast<size_t>(set) * bench::threads + cache]; }

// Takes the line away from the other caches, or only the right to write it.
static void snoop(int set, int cache, int line, bool write, Counts& count) {
  for (int other = 0; other < bench::threads; other++) {
    Frame& theirs = frame(set, other);
    if (other == cache || theirs.line != line || theirs.state == kInvalid) continue;
    if (theirs.state == kModified) count.writebacks++;
    if (write) count.invalidations++;
    theirs.state = write ? kInvalid : kShared;
  }
}

static void access(int cache, int line, bool write, Counts& count) {
  int set = line % kSets;
  bench::Locked<bench::SpinLock> locked(locks[set]);
  Frame& mine = frame(set, cache);
  bool present = mine.line == line && mine.state != kInvalid;
  (present ? count.hits : count.misses)++;
  if (present && (!write || mine.state == kModified)) return;
  if (!present && mine.state != kInvalid) count.evictions++;
  if (!present && mine.state == kModified) count.writebacks++;
  snoop(set, cache, line, write, count);
  mine = {line, write ? kModified : kShared};
}

// Reference streams stay near where they are, and are mostly private to their processor.
static void body(int index) {
  uint64_t random = bench::random_state(53) + static_cast<uint64_t>(index) * 104729;
  Counts& count = counts[index];
  int near = 0;
  for (int i = 0; i < references; i++) {
    if (i % 16 == 0) bench::give_way();
    uint64_t draw = bench::next_random(random) >> 16;
    if (draw % 16 == 0) near = static_cast<int>((draw >> 8) % kPrivateLines);
    bool shared = (draw >> 4) % 16 == 0, write = (draw >> 20) % 4 == 0;
    int line = static_cast<int>((draw >> 24) % kSharedLines);
    if (!shared) line = kSharedLines + index * kPrivateLines + (near + line % 8) % kPrivateLines;
    int64_t misses = count.misses;
    access(index, line, write, count);
    if (shared) bench::saw(static_cast<uint64_t>(count.misses - misses));
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  references = bench::size(20000000);
  frames.assign(static_cast<size_t>(kSets) * bench::threads, {-1, kInvalid});
  locks = std::vector<bench::SpinLock>(kSets);
  counts.resize(bench::threads);
  bench::run(body);
  for (int set = 0; set < kSets; set++)
    for (int a = 0; a < bench::threads; a++)
      for (int b = 0; b < bench::threads; b++) {
        const Frame &one = frame(set, a), &other = frame(set, b);
        bench::check(a == b || one.state != kModified || other.state == kInvalid || one.line != other.line,
                     "caches %d and %d both have line %d", a, b, one.line);
      }
  uint64_t sum = 0;
  int64_t filled = 0;  // what came into the caches and has not been thrown out is there
  for (const Frame& one : frames) filled -= one.state != kInvalid;
  for (const Counts& count : counts) {
    filled += count.misses - count.evictions - count.invalidations;
    bench::check(count.hits + count.misses == references, "%lld hits and %lld misses of %d references",
                 static_cast<long long>(count.hits), static_cast<long long>(count.misses), references);
    for (int64_t part : {count.hits, count.invalidations, count.writebacks})
      sum = bench::mix(sum, static_cast<uint64_t>(part));
  }
  bench::check(filled == 0, "%lld frames came or went unnoticed", static_cast<long long>(filled));
  return bench::finish(sum);
}
