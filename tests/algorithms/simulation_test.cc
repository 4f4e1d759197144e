// The simulator against the plain way: one history per granule, kept in a map, and paths by brute force.
#include "sim/simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>

#include "algorithms/lock_order.h"
#include "algorithms/ownership_model.h"
#include "run_tracer.h"
#include "sim/critical_path.h"

namespace ana::oracle {
namespace {

using namespace algorithms;
using Rows = std::vector<ReferenceRow>;

// Accesses of all sizes and alignments, around the border of two pages and far apart.
Rows random_rows(std::mt19937_64& random, uint32_t threads, size_t count) {
  Rows rows;
  constexpr uint32_t kSizes[] = {1, 2, 4, 8, 8, 8, 16, 3, 24, 100};
  constexpr uint64_t kBases[] = {0x1000, 0x1ff0, 0x2fc0, 0x7fffffffe000, ~uint64_t{0} - 0x2000};
  for (size_t i = 0; i < count; i++) {
    uint32_t size = kSizes[random() % std::size(kSizes)];
    uint64_t address = kBases[random() % std::size(kBases)] + random() % 96;
    if (random() % 4) address &= ~uint64_t{7};
    rows.push_back(
        {address, size, static_cast<uint16_t>(random() % threads), static_cast<ReferenceKind>(random() % 3), 0});
  }
  return rows;
}

// The same as an execution: granules are numbered, an event touches all that it overlaps.
Execution as_execution(const Rows& rows, uint32_t threads, unsigned shift) {
  Execution execution;
  execution.threads = threads;
  std::map<uint64_t, uint32_t> granules;
  for (const ReferenceRow& r : rows) {
    std::vector<Access> accesses;
    for (uint64_t g = r.address >> shift; g <= (r.address + r.size - 1) >> shift; g++) {
      auto number = granules.emplace(g, static_cast<uint32_t>(granules.size())).first->second;
      accesses.push_back({number, static_cast<AccessKind>(r.kind)});
    }
    execution.add(r.thread, std::move(accesses));
  }
  execution.granules = static_cast<uint32_t>(granules.size());
  return execution;
}

// Edges as text, since the order of granules within an event does not matter.
using Log = std::multiset<std::string>;

struct Simulated {
  Log log;
  sim::RunResult result;
};

Simulated simulated(Name name, const Rows& rows, uint32_t threads, unsigned shift) {
  Simulated out;
  sim::RunOptions options{threads, shift, {}, {}, {}};
  options.on_edge = [&](const sim::Traced& t) {
    out.log.insert(fmt::format("{} after {}:{}", t.number, t.edge->thread, t.edge->serial));
  };
  auto run = sim::make_run(name, options);
  for (size_t i = 0; i < rows.size();) {  // in blocks of uneven size
    size_t n = std::min(rows.size() - i, 1 + i % 23);
    run->process({i, Rows(rows.begin() + i, rows.begin() + i + n), {}, {}});
    i += n;
  }
  out.result = run->result();
  return out;
}

Log plain(const Traced& traced) {
  Log log;
  for (size_t i = 0; i < traced.edges.size(); i++) {
    for (const Edge& e : traced.edges[i]) log.insert(fmt::format("{} after {}:{}", i, e.thread, e.serial));
  }
  return log;
}

uint64_t longest_path(const Execution& execution, const std::vector<std::pair<size_t, size_t>>& edges) {
  std::vector<uint64_t> end(execution.events.size(), 0), thread(execution.threads, 0);
  uint64_t longest = 0;
  for (size_t i = 0; i < end.size(); i++) {
    uint64_t start = thread[execution.events[i].thread];
    for (auto [source, sink] : edges) {
      if (sink == i) start = std::max(start, end[source]);
    }
    thread[execution.events[i].thread] = end[i] = start + 1;
    longest = std::max(longest, end[i]);
  }
  return longest;
}

uint64_t dependence_path(const Execution& execution) {
  std::vector<std::pair<size_t, size_t>> all;
  for (size_t i = 0; i < execution.events.size(); i++) {
    for (size_t j = 0; j < i; j++) {
      if (conflict(execution.events[j], execution.events[i])) all.push_back({j, i});
    }
  }
  return longest_path(execution, all);
}

void expect_same(Name name, const Rows& rows, const Execution& execution, unsigned shift, const Traced& traced) {
  Simulated s = simulated(name, rows, execution.threads, shift);
  ASSERT_EQ(s.log, plain(traced)) << entry(name).text << ", shift " << shift;
  ASSERT_EQ(s.result.traced, traced.count());
  ASSERT_EQ(s.result.references, rows.size());
  uint64_t with_edges = 0;
  for (const auto& edges : traced.edges) with_edges += !edges.empty();
  ASSERT_EQ(s.result.traced_references, with_edges);
  if (entry(name).logs == Logs::edges)
    ASSERT_EQ(s.result.critical_path, longest_path(execution, as_pairs(execution, traced))) << entry(name).text;
  if (entry(name).logs == Logs::clocks)
    ASSERT_EQ(s.result.critical_path, *std::max_element(traced.times.begin(), traced.times.end()));
  if (entry(name).logs == Logs::raw_waw) ASSERT_EQ(s.result.critical_path, dependence_path(execution));
}

TEST(Simulation, GranulesOfPagesAreAsGoodAsGranulesOfBytes) {
  std::mt19937_64 random(41);
  for (int i = 0; i < 400 && !HasFailure(); i++) {
    uint32_t threads = 2 + random() % 3;
    Rows rows = random_rows(random, threads, 60);
    for (unsigned shift : {0u, 1u, 3u, 6u, 12u, 20u}) {
      Execution execution = as_execution(rows, threads, shift);
      expect_same(Name::optimal_vector, rows, execution, shift, run<OptimalVector>(execution));
      expect_same(Name::optimal_non_critical, rows, execution, shift, run<OptimalNonCritical>(execution));
      expect_same(Name::optimal_lamport, rows, execution, shift, run<OptimalLamport>(execution));
      expect_same(Name::compressed_vector, rows, execution, shift, run<CompressedVector>(execution));
      expect_same(Name::compressed_non_critical, rows, execution, shift, run<CompressedNonCritical>(execution));
      expect_same(Name::compressed_lamport, rows, execution, shift, run<CompressedLamport>(execution));
      expect_same(Name::mutex_lock, rows, execution, shift, run<MutexLock>(execution));
      expect_same(Name::ownership, rows, execution, shift, run<OwnershipModel>(execution));
      Simulated all = simulated(Name::trace_all, rows, threads, shift);
      ASSERT_EQ(all.result.traced, rows.size());
      ASSERT_EQ(all.result.critical_path, dependence_path(execution));
    }
  }
}

// RWTrace's caches forget, by addresses that are not the same here; with few granules they do not.
TEST(Simulation, RwTrace) {
  std::mt19937_64 random(42);
  for (int i = 0; i < 30 && !HasFailure(); i++) {
    Rows rows = random_rows(random, 3, 60);
    for (ReferenceRow& r : rows) {
      r.address &= ~uint64_t{7};
      r.size = 8;
    }
    Execution execution = as_execution(rows, 3, 3);
    expect_same(Name::rwtrace_1, rows, execution, 3, run_rwtrace<false, 13>(execution));
    expect_same(Name::rwtrace_2, rows, execution, 3, run_rwtrace<true, 13>(execution));
    expect_same(Name::crew_lock, rows, execution, 3, run_rwtrace<false, 13>(execution));
  }
}

// A divided granule is still known to the threads that knew it whole.
TEST(Simulation, RwTraceKnowsDividedGranules) {
  Rows rows = {{0x1000, 8, 0, ReferenceKind::write, 0},
               {0x1000, 8, 1, ReferenceKind::read, 0},
               {0x2004, 4, 1, ReferenceKind::read, 0},
               {0x1004, 4, 1, ReferenceKind::read, 0},
               {0x1001, 1, 1, ReferenceKind::read, 0}};
  for (Name name : {Name::rwtrace_1, Name::rwtrace_2}) {
    Simulated s = simulated(name, rows, 2, 0);
    EXPECT_EQ(s.result.traced, 1u);
    EXPECT_EQ(s.result.reads, 4u);
    EXPECT_EQ(s.result.local_reads, 2u);
  }
}

TEST(Simulation, AccessTypes) {
  std::mt19937_64 random(43);
  for (int i = 0; i < 200 && !HasFailure(); i++) {
    Rows rows = random_rows(random, 3, 60);
    unsigned shift = random() % 8;
    sim::AccessTypesRun run(3, shift);
    run.process({0, rows, {}, {}});
    sim::AccessTypes types = run.result();
    std::map<uint64_t, uint16_t> last;
    uint64_t checks = 0;
    std::array<uint64_t, 3> kinds{};
    for (const ReferenceRow& r : rows) {
      bool check = false;
      for (uint64_t g = r.address >> shift; g <= (r.address + r.size - 1) >> shift; g++) {
        auto found = last.find(g);
        check |= found != last.end() && found->second != r.thread;
        last[g] = r.thread;
      }
      checks += check;
      kinds[static_cast<size_t>(r.kind)]++;
    }
    ASSERT_EQ(types.checks, checks);
    ASSERT_EQ(types.kinds, kinds);
    ASSERT_EQ(types.by_thread[0] + types.by_thread[1] + types.by_thread[2], rows.size());
    if (shift >= 7) ASSERT_EQ(types.private_granules + types.read_only_granules + types.shared_granules, last.size());
  }
}

TEST(CriticalPath, ThinningOnlyMakesItLonger) {
  std::mt19937_64 random(44);
  sim::CriticalPath path(2);
  std::vector<uint64_t> end[2] = {{0}, {0}};
  std::vector<uint64_t> serials = {0, 0};
  uint64_t edges = 0;
  while (edges < 3 * sim::CriticalPath::kKept) {
    uint32_t sink = random() % 2, source = 1 - sink;
    uint64_t serial = ++serials[sink], start = end[sink].back();
    if (serials[source]) {
      uint64_t back = random() % 4 ? random() % 3 : random() % serials[source];
      uint64_t from = serials[source] - std::min(back, serials[source] - 1);
      path.edge(sink, serial, source, from);
      start = std::max(start, end[source][from]);
      ++edges;
    }
    end[sink].push_back(start + 1);
    if (edges == sim::CriticalPath::kKept / 2) {
      ASSERT_EQ(path.length(serials), std::max(end[0].back(), end[1].back()));
    }
  }
  EXPECT_GE(path.length(serials), std::max(end[0].back(), end[1].back()));
}

// A whole file, several blocks, with one worker and with more.
TEST(Simulation, WorkersDoNotChangeTheResult) {
  std::string name = testing::TempDir() + "anaphora-simulation-XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  std::string file = name + "/refs";
  auto writer = ReferenceWriter::create(file);
  ASSERT_TRUE(writer);
  std::mt19937_64 random(45);
  for (const ReferenceRow& r : random_rows(random, 5, 300000)) writer->add(r.thread, {r.address, r.size, r.kind, 0});
  ASSERT_TRUE(writer->finish());
  std::vector<sim::SimulationResult> results;
  for (unsigned workers : {1u, 2u, 5u}) {
    sim::SimulationOptions options;
    for (const Entry& e : kCatalogue) options.algorithms.push_back(e.name);
    options.access_types = true;
    options.workers = workers;
    auto result = sim::simulate(file, options);
    ASSERT_TRUE(result) << result.error().text;
    results.push_back(*result);
  }
  for (const auto& r : results) {
    EXPECT_EQ(r.references, 300000u);
    EXPECT_EQ(r.threads, 5u);
    for (size_t i = 0; i < r.results.size(); i++) {
      EXPECT_EQ(r.results[i].traced, results[0].results[i].traced);
      EXPECT_EQ(r.results[i].critical_path, results[0].results[i].critical_path);
      EXPECT_EQ(r.results[i].references, 300000u);
    }
    EXPECT_EQ(r.types.checks, results[0].types.checks);
    // Whoever finds another thread's access takes the lock from it.
    EXPECT_EQ(r.types.checks, r.results[static_cast<size_t>(Name::mutex_lock)].traced_references);
  }
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace ana::oracle
