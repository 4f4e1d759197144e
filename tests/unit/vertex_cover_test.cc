// Covers and matchings against brute force, on all kinds of small graphs and on graphs whose answers are known.
#include "analysis/vertex_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "analysis/matching.h"

namespace ana {
namespace {

constexpr uint64_t kPlenty = 1'000'000'000;

BitGraph random_graph(std::mt19937& random, size_t vertices, double density) {
  BitGraph graph(vertices);
  std::bernoulli_distribution edge(density);
  for (size_t a = 0; a < vertices; a++) {
    for (size_t b = 0; b < a; b++) {
      if (edge(random)) graph.add_edge(a, b);
    }
  }
  return graph;
}

bool covers(const BitGraph& graph, uint32_t set) {
  for (size_t a = 0; a < graph.vertices(); a++) {
    for (size_t b = 0; b < a; b++) {
      if (graph.has_edge(a, b) && (set >> a & 1) == 0 && (set >> b & 1) == 0) return false;
    }
  }
  return true;
}

size_t smallest_cover(const BitGraph& graph) {
  size_t best = graph.vertices();
  for (uint32_t set = 0; set < uint32_t{1} << graph.vertices(); set++) {
    size_t size = static_cast<size_t>(std::popcount(set));
    if (size < best && covers(graph, set)) best = size;
  }
  return best;
}

size_t largest_matching(const BitGraph& graph, size_t from, uint32_t used) {
  while (from < graph.vertices() && (used >> from & 1) != 0) from++;
  if (from == graph.vertices()) return 0;
  size_t best = largest_matching(graph, from + 1, used);
  for (size_t w = from + 1; w < graph.vertices(); w++) {
    if ((used >> w & 1) == 0 && graph.has_edge(from, w))
      best = std::max(best, 1 + largest_matching(graph, from + 1, used | uint32_t{1} << w));
  }
  return best;
}

TEST(VertexCover, IsTheSmallestOfRandomGraphs) {
  std::mt19937 random(1);
  for (int i = 0; i < 400; i++) {
    BitGraph graph = random_graph(random, 1 + static_cast<size_t>(i) % 12, 0.05 + 0.9 * (i % 10) / 10);
    Cover cover = find_cover(graph, kPlenty);
    EXPECT_TRUE(cover.exact);
    EXPECT_EQ(cover.at_least, smallest_cover(graph)) << "graph " << i;
  }
}

TEST(VertexCover, IsABoundWhenTheWorkIsTooMuch) {
  std::mt19937 random(2);
  bool given_up = false;
  for (int i = 0; i < 100; i++) {
    BitGraph graph = random_graph(random, 12, 0.3);
    Cover cover = find_cover(graph, 60);
    size_t smallest = smallest_cover(graph);
    EXPECT_LE(cover.at_least, smallest);
    if (cover.exact) EXPECT_EQ(cover.at_least, smallest);
    given_up = given_up || !cover.exact;
  }
  EXPECT_TRUE(given_up);
}

TEST(VertexCover, OfLargeGraphsOfKnownShape) {
  // Four channels; the messages of each race with those of the others, but channels 1 and 3 do not.
  BitGraph channels(2000);
  for (size_t a = 0; a < 2000; a++) {
    for (size_t b = 0; b < a; b++) {
      if (a % 4 != b % 4 && (a % 2 == 0 || b % 2 == 0)) channels.add_edge(a, b);
    }
  }
  EXPECT_EQ(find_cover(channels, kPlenty).at_least, 1000u);
  // A path, and a ring of odd length: half of the vertices, rounded up for the ring.
  BitGraph path(1001), ring(1001);
  for (size_t i = 0; i + 1 < 1001; i++) {
    path.add_edge(i, i + 1);
    ring.add_edge(i, i + 1);
  }
  ring.add_edge(0, 1000);
  EXPECT_EQ(find_cover(path, kPlenty).at_least, 500u);
  EXPECT_EQ(find_cover(ring, kPlenty).at_least, 501u);
  EXPECT_EQ(find_matching(ring, kPlenty).edges, 500u);
}

TEST(Matching, IsTheLargestOfRandomGraphs) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; i++) {
    BitGraph graph = random_graph(random, 1 + static_cast<size_t>(i) % 13, 0.05 + 0.9 * (i % 20) / 20);
    Matching matching = find_matching(graph, kPlenty);
    EXPECT_TRUE(matching.maximum);
    EXPECT_EQ(matching.edges, largest_matching(graph, 0, 0)) << "graph " << i;
  }
}

TEST(Matching, FindsItsWayThroughBlossoms) {
  // Rings of five in a row, each joined to the next by one edge: all but one vertex can be matched.
  constexpr size_t kRings = 41;
  std::vector<uint32_t> order(kRings * 5);
  for (uint32_t i = 0; i < order.size(); i++) order[i] = i;
  std::mt19937 random(4);
  for (int round = 0; round < 20; round++) {
    std::shuffle(order.begin(), order.end(), random);
    BitGraph graph(order.size());
    for (size_t r = 0; r < kRings; r++) {
      for (size_t i = 0; i < 5; i++) graph.add_edge(order[r * 5 + i], order[r * 5 + (i + 1) % 5]);
      if (r > 0) graph.add_edge(order[r * 5 - 3], order[r * 5]);
    }
    EXPECT_EQ(find_matching(graph, kPlenty).edges, order.size() / 2);
  }
}

}  // namespace
}  // namespace ana
