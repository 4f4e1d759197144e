// The functions on nodes that instrumented C++ programs have in place of the library's (src/driver/include/libstdcxx),
// against models that cannot go wrong; and that trees stay balanced, also where the library's own functions take turns.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <random>
#include <set>
#include <unordered_set>
#include <vector>

#ifndef ANAPHORA_STL_TREE_H
#error "this test is about our headers: they have to be found first"
#endif

namespace {

using Node = std::_Rb_tree_node_base;

// The black nodes on every way down, or -1 if these are not all as many, or a red node has a red child.
int black_height(const Node* node, const Node* parent) {
  if (!node) return 0;
  if (node->_M_parent != parent) return -1;
  bool red = node->_M_color == std::_S_red;
  for (const Node* child : {node->_M_left, node->_M_right})
    if (red && child && child->_M_color == std::_S_red) return -1;
  int left = black_height(node->_M_left, node), right = black_height(node->_M_right, node);
  return left < 0 || left != right ? -1 : left + (red ? 0 : 1);
}

template <class Set>
void expect_balanced(const Set& set) {
  const Node* header = set.end()._M_node;
  EXPECT_EQ(header->_M_color, std::_S_red);
  EXPECT_GE(black_height(header->_M_parent, header), 0);
  if (set.empty()) return;
  EXPECT_EQ(header->_M_parent->_M_color, std::_S_black);
  EXPECT_EQ(header->_M_left, Node::_S_minimum(header->_M_parent));
  EXPECT_EQ(header->_M_right, Node::_S_maximum(header->_M_parent));
}

template <class Set>
void expect_same(const Set& set, const std::vector<int>& sorted) {
  EXPECT_TRUE(std::equal(set.begin(), set.end(), sorted.begin(), sorted.end()));
  EXPECT_TRUE(std::equal(set.rbegin(), set.rend(), sorted.rbegin(), sorted.rend()));
}

TEST(NodeFunctions, TreesStaySortedAndBalanced) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    std::multiset<int> set;
    std::vector<int> model;
    int most = 1 << (round % 10);
    for (int step = 0; step < 600; ++step) {
      int value = static_cast<int>(random() % 200);
      if (static_cast<int>(set.size()) < most && random() % 5 != 0) {
        set.insert(value);
        model.insert(std::upper_bound(model.begin(), model.end(), value), value);
      } else if (!model.empty()) {
        size_t at = random() % model.size();
        set.erase(std::next(set.begin(), static_cast<long>(at)));
        model.erase(model.begin() + static_cast<long>(at));
      }
      if (step % 7 == 0) expect_balanced(set);
    }
    expect_balanced(set);
    expect_same(set, model);
    while (!set.empty()) set.erase(random() % 2 ? set.begin() : std::prev(set.end()));
    expect_balanced(set);
  }
}

TEST(NodeFunctions, TreesAreTheLibrarysTrees) {
  using Insert = void(bool, Node*, Node*, Node&);
  using Erase = Node*(Node*, Node&);
  void* library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  auto* insert = reinterpret_cast<Insert*>(dlsym(library, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"));
  auto* erase = reinterpret_cast<Erase*>(dlsym(library, "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_"));
  ASSERT_TRUE(insert && erase);

  std::mt19937 random(2);
  std::vector<Node> nodes(300);
  std::vector<size_t> in, out(nodes.size());  // nodes are sorted by their place in the vector
  for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  Node header{std::_S_red, nullptr, &header, &header};
  for (int step = 0; step < 20000; ++step) {
    bool ours = random() % 2 != 0;
    if (in.empty() || (!out.empty() && random() % 2)) {
      std::swap(out[random() % out.size()], out.back());
      Node* node = &nodes[out.back()];
      Node *parent = &header, *at = header._M_parent;
      bool left = true;
      while (at) {
        parent = at;
        left = node < at;
        at = left ? at->_M_left : at->_M_right;
      }
      (ours ? std::_Rb_tree_insert_and_rebalance : insert)(left, node, parent, header);
      in.push_back(out.back());
      out.pop_back();
    } else {
      std::swap(in[random() % in.size()], in.back());
      Node* node = &nodes[in.back()];
      EXPECT_EQ((ours ? std::_Rb_tree_rebalance_for_erase : erase)(node, header), node);
      out.push_back(in.back());
      in.pop_back();
    }
    if (step % 16 == 0) ASSERT_GE(black_height(header._M_parent, &header), 0) << "step " << step;
  }
  std::sort(in.begin(), in.end());
  const Node* node = header._M_left;
  for (size_t i : in) {
    ASSERT_EQ(node, &nodes[i]);
    node = std::_Rb_tree_increment(node);
  }
  EXPECT_EQ(node, &header);
}

TEST(NodeFunctions, Lists) {
  std::mt19937 random(3);
  std::list<int> list, other;
  std::vector<int> model, other_model;
  for (int step = 0; step < 5000; ++step) {
    int value = static_cast<int>(random() % 1000);
    auto at = static_cast<long>(random() % (model.size() + 1));
    switch (random() % 8) {
      case 0: case 1: case 2:
        list.insert(std::next(list.begin(), at), value);
        model.insert(model.begin() + at, value);
        break;
      case 3:
        if (at == static_cast<long>(model.size())) break;
        list.erase(std::next(list.begin(), at));
        model.erase(model.begin() + at);
        break;
      case 4:
        list.reverse();
        std::reverse(model.begin(), model.end());
        break;
      case 5:
        list.swap(other);
        model.swap(other_model);
        break;
      case 6:
        list.splice(std::next(list.begin(), at), other);
        model.insert(model.begin() + at, other_model.begin(), other_model.end());
        other_model.clear();
        break;
      default:
        list.sort();
        std::sort(model.begin(), model.end());
    }
    ASSERT_TRUE(std::equal(list.begin(), list.end(), model.begin(), model.end())) << "step " << step;
    ASSERT_TRUE(std::equal(list.rbegin(), list.rend(), model.rbegin(), model.rend())) << "step " << step;
  }
}

TEST(NodeFunctions, TablesGrowAsTheLibrarysDo) {
  using Policy = std::__detail::_Prime_rehash_policy;
  using Need = std::pair<bool, std::size_t>(const Policy*, std::size_t, std::size_t, std::size_t);
  void* library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  auto* need = reinterpret_cast<Need*>(dlsym(library, "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm"));
  ASSERT_TRUE(need);
  std::mt19937 random(4);
  for (int step = 0; step < 20000; ++step) {
    Policy ours(0.25F * static_cast<float>(1 + random() % 12));
    ours._M_next_resize = random() % 3 ? random() % 5000 : 0;
    Policy theirs = ours;
    std::size_t buckets = 1 + random() % 4000, elements = random() % 6000, more = 1 + random() % 50;
    EXPECT_EQ(ours._M_need_rehash(buckets, elements, more), need(&theirs, buckets, elements, more));
    EXPECT_EQ(ours._M_next_resize, theirs._M_next_resize);
  }
}

}  // namespace
