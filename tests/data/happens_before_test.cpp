// happens_before_test.cpp - compares the order that happens_before finds with reachability, in thousands of random
// graphs.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "data/happens_before.hpp"

using namespace stretto;
using data::happens_before;
using node_id = happens_before::node_id;

namespace {

/// Whether happens_before may call two unordered operations ordered, because it forgets old ones.
enum class forgetting { none, allowed };

/// Random operations, merges and tasks, and for each operation its real predecessors.
class order_model {
 public:
  order_model(std::uint32_t seed, happens_before::limits limits, forgetting allowed)
      : random_(seed), order_(limits), allowed_(allowed), histories_(1 + seed % 5), task_past_(histories_.size()) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }

 private:
  /// A node that can be followed: an operation, or a merge of some.
  struct graph_node {
    node_id node;
    std::vector<bool> past;          // the operations before it, itself included
    bool has_begun = false;          // true from the start for what is no operation
    std::vector<std::size_t> after;  // indices of its preconditions, until they are in `past`
  };

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  static void unite(std::vector<bool>& a, const std::vector<bool>& b) {
    if (a.size() < b.size()) a.resize(b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      if (b[i]) a[i] = true;
  }

  void step() {
    const std::size_t s = below(histories_.size());
    switch (below(8)) {
      case 0: {  // a merge
        graph_node t{order_.make(), {}, true, {}};
        for (std::size_t n = below(4); n-- > 0 && !nodes_.empty();) follow(t, recent());
        add_to_ready(std::move(t));
        break;
      }
      case 1:  // a task waits for something that has ended
        if (const std::size_t n = recent_ended(); n < nodes_.size()) {
          order_.wait(histories_[s], nodes_[n].node);
          unite(task_past_[s], nodes_[n].past);
        }
        break;
      case 2: {  // a task ends, and one spawned by another takes its slot
        const std::size_t by = below(histories_.size());
        if (by == s) break;
        const node_id end = order_.end_of(histories_[s]);
        nodes_.push_back({end, task_past_[s], true, {}});
        const node_id spawner = order_.state_of(histories_[by]);
        order_.restart(histories_[s]);
        if (spawner) histories_[s].pending.push_back(spawner);
        task_past_[s] = task_past_[by];
        if (const std::size_t n = recent_ended(); n < nodes_.size()) {
          histories_[s].pending.push_back(nodes_[n].node);
          unite(task_past_[s], nodes_[n].past);
        }
        break;
      }
      case 3:
      case 4:
      case 5: {  // an operation is submitted
        graph_node t{order_.make(), task_past_[s], false, {}};
        order_.follow(t.node, order_.state_of(histories_[s]));
        for (std::size_t n = below(4); n-- > 0 && !nodes_.empty();) follow(t, recent());
        add_to_ready(std::move(t));
        break;
      }
      default: begin_one();
    }
  }

  void follow(graph_node& t, std::size_t n) {
    order_.follow(t.node, nodes_[n].node);
    t.after.push_back(n);
  }
  std::size_t recent() { return nodes_.size() - 1 - below(std::min<std::size_t>(nodes_.size(), 12)); }
  bool has_ended(std::size_t n) const {
    return nodes_[n].has_begun && std::ranges::all_of(nodes_[n].after, [&](std::size_t m) { return has_ended(m); });
  }
  std::size_t recent_ended() {
    if (nodes_.empty()) return 0;
    const std::size_t n = recent();
    if (!has_ended(n)) return nodes_.size();
    settle_past(n);
    return n;
  }
  void settle_past(std::size_t n) {
    for (const std::size_t m : nodes_[n].after) {
      settle_past(m);
      unite(nodes_[n].past, nodes_[m].past);
    }
    nodes_[n].after.clear();
  }
  void add_to_ready(graph_node t) {
    nodes_.push_back(std::move(t));
    if (!nodes_.back().has_begun) waiting_.push_back(nodes_.size() - 1);
  }

  /// Begins a random operation of which all preconditions have ended.
  void begin_one() {
    std::ranges::shuffle(waiting_, random_);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const std::size_t n = waiting_[i];
      if (!std::ranges::all_of(nodes_[n].after, [&](std::size_t m) { return has_ended(m); })) continue;
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      settle_past(n);
      graph_node& t = nodes_[n];
      t.has_begun = true;
      if (!order_.begin(t.node)) {
        CHECK(allowed_ == forgetting::allowed);
        epochs_.push_back({0, 0});
      } else {
        compare(t);
        epochs_.push_back(order_.current());
      }
      t.past.resize(epochs_.size());
      t.past.back() = true;
      return;
    }
  }

  void compare(const graph_node& t) {
    bool right = true;
    for (std::size_t e = 0; e < epochs_.size(); ++e) {
      const bool before = e < t.past.size() && t.past[e], is_ordered = order_.is_before(epochs_[e]);
      right = right && (before ? is_ordered : !is_ordered || allowed_ == forgetting::allowed);
      unordered_pairs_ += !is_ordered;
    }
    CHECK(right);
  }

  std::mt19937 random_;
  happens_before order_;
  const forgetting allowed_;
  std::vector<happens_before::wait_history> histories_;
  std::vector<std::vector<bool>> task_past_;
  std::vector<graph_node> nodes_;
  std::vector<std::size_t> waiting_;
  std::vector<happens_before::epoch> epochs_;

 public:
  std::size_t unordered_pairs_ = 0;
};

}  // namespace

TEST_CASE("an operation is before another exactly if it can be reached from it") {
  std::size_t unordered_pairs = 0;
  const auto seeds = test::scaled_of_one_thread(4'000u, 100'000u);
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    order_model m(seed, {.most_nodes = 1 << 10, .clock_capacity = 1 << 14, .most_chains = 256}, forgetting::none);
    m.run(150);
    unordered_pairs += m.unordered_pairs_;
  }
  CHECK(unordered_pairs > 25 * seeds);
}

TEST_CASE("with little memory, ordered operations are never reported as unordered") {
  std::size_t unordered_pairs = 0;
  const auto seeds = test::scaled_of_one_thread(4'000u, 100'000u);
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    order_model m(seed, {.most_nodes = std::size_t{16} << seed % 4, .clock_capacity = 64, .most_chains = 2 + seed % 7},
                  forgetting::allowed);
    m.run(300);
    unordered_pairs += m.unordered_pairs_;
  }
  CHECK(unordered_pairs > 2 * seeds);
}

TEST_CASE("a long chain of operations, ordered by their task or by events, is one chain") {
  happens_before order;
  happens_before::wait_history body;
  node_id last = 0;
  for (int i = 0; i < 100000; ++i) {
    const node_id n = order.make();
    order.follow(n, order.state_of(body));
    order.follow(n, last);
    order.name(n, 1 + static_cast<std::uint64_t>(i));
    CHECK(order.begin(n));
    last = n;
    if (i % 3 == 0) order.wait(body, n);
  }
  CHECK(order.size().chains == 1);
  CHECK(order.size().names <= happens_before::limits{}.most_nodes);
}

TEST_CASE("merges of merges may be as deep as a program is long") {
  happens_before order;
  node_id deep = 0;
  for (int i = 0; i < 50000; ++i) {
    const node_id n = order.make();
    order.follow(n, deep);
    deep = n;
  }
  const node_id last = order.make();
  order.follow(last, deep);
  CHECK(order.begin(last));
}

TEST_CASE("unordered operations take a chain each up to a limit; then the oldest are forgotten") {
  happens_before order({.most_chains = 100});
  std::vector<happens_before::epoch> all;
  for (int i = 0; i < 1000; ++i) {
    const node_id n = order.make();
    CHECK(order.begin(n));
    if (!all.empty()) CHECK_FALSE(order.is_before(all.back()));
    all.push_back(order.current());
  }
  CHECK(order.size().chains == 100);
  CHECK(order.is_before(all.front()));
}
