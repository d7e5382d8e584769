// Detection of divergence on any number of nodes, with reordered messages, where one node makes another call, one more,
// one less, or ends early.
#include "buffers/divergence_detector.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <random>
#include <string>
#include <variant>

#include "campaign.hpp"

using namespace stretto;
using namespace stretto::buffers;

namespace {

/// Nodes and the messages between them, in order for each pair.
class talking_nodes {
 public:
  explicit talking_nodes(std::uint32_t nodes) : between_(nodes * nodes) {
    for (std::uint32_t n = 0; n < nodes; ++n) all_.emplace_back(*this, n, nodes);
  }

  struct node {
    node(talking_nodes& of, std::uint32_t self, std::uint32_t nodes)
        : agrees(way, self, nodes,
                 {.send =
                      [&of, self, nodes](std::uint32_t to, const divergence_detector::message& m) {
                        of.between_[self * nodes + to].push_back(m);
                        ++of.messages;
                      },
                  .on_divergence =
                      [this](const divergence_report& d, base::thread_context&) {
                        CHECK(!found);
                        found = d;
                        if (when_found) when_found();
                      },
                  .patience_ns =
                      [this](const base::thread_context&) { return std::uint64_t{is_busy ? 10'000'000'000u : 0u}; }}) {}
    call_history way;
    std::vector<coordinate> program;
    std::size_t at = 0;
    std::optional<divergence_report> found;
    std::function<void()> when_found;  // called by on_divergence
    bool is_lost = false, is_busy = false;
    divergence_detector agrees;
  };

  node& operator[](std::size_t n) { return all_[n]; }
  std::size_t size() const { return all_.size(); }
  void call(node& n) {
    if (n.at == n.program.size() || n.found) return;
    n.way.add(std::make_shared<const call_signature>(
                  buffer_call{.what = buffer_call::verb::read, .range = box(0, n.program[n.at]), .uses = {{}}}),
              n.at, std::source_location::current());
    ++n.at;
  }
  void poll(std::size_t n) {
    if (!all_[n].is_lost) all_[n].agrees.advance(context_);
  }
  bool deliver(std::size_t pair) {
    if (between_[pair].empty()) return false;
    const divergence_detector::message any = std::move(between_[pair].front());
    between_[pair].pop_front();
    const auto from = static_cast<std::uint32_t>(pair / all_.size());
    if (node& to = all_[pair % all_.size()]; !to.is_lost)
      std::visit([&](const auto& m) { to.agrees.receive(from, m, context_); }, any);
    return true;
  }
  /// Every node polls so often, and handles all messages.
  void poll_all(unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      for (std::size_t n = 0; n < all_.size(); ++n) poll(n);
      for (std::size_t pair = 0; pair < between_.size(); ++pair)
        while (deliver(pair)) {
        }
    }
  }
  void lose(std::size_t gone) {
    all_[gone].is_lost = true;
    for (std::size_t n = 0; n < all_.size(); ++n) {
      between_[gone * all_.size() + n].clear();
      if (!all_[n].is_lost) all_[n].agrees.node_failed(static_cast<std::uint32_t>(gone), context_);
    }
  }
  /// Runs until all calls are made, all nodes are idle, and no message is in flight.
  void run(std::mt19937& random, unsigned slow) {
    for (int left = 4'000'000; left > 0; --left) {
      const std::size_t n = random() % all_.size();
      if (n != slow || random() % 64 == 0) call(all_[n]);
      if (random() % 4 == 0) poll(random() % all_.size());
      if (random() % 2 == 0) deliver(random() % between_.size());
      bool is_over = left % 256 == 0;
      for (const node& one : all_) is_over = is_over && (one.is_lost || one.found || one.at == one.program.size());
      if (is_over) break;
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (unsigned i = 0; i < 2 * divergence_detector::patience_polls; ++i)
        for (std::size_t n = 0; n < all_.size(); ++n) poll(n);
      for (std::size_t pair = 0; pair < between_.size(); ++pair)
        while (deliver(pair)) goes_on = true;
    }
  }

  std::uint64_t messages = 0;
  base::thread_context context_;

 private:
  std::deque<node> all_;
  std::vector<std::deque<divergence_detector::message>> between_;
};

}  // namespace

TEST_CASE("programs that are alike are never accused, and little is said") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    talking_nodes all(1 + random() % 9);
    const std::size_t calls = random() % 3000;
    for (std::size_t n = 0; n < all.size(); ++n)
      for (std::size_t i = 0; i < calls; ++i) all[n].program.push_back(static_cast<coordinate>(i % 7));
    all.run(random, seed % 3 == 0 ? 0 : ~0u);
    CAPTURE(seed);
    for (std::size_t n = 0; n < all.size(); ++n) CHECK_FALSE(all[n].found);
    bool has_explained = false;
    all[0].agrees.request_verdict([&] { has_explained = true; }, all.context_);
    all.run(random, ~0u);
    CHECK(has_explained);
    for (std::size_t n = 0; n < all.size(); ++n) CHECK_FALSE(all[n].found);
  }
}

TEST_CASE("a verdict that is requested while the divergence is being reported is known once it has been reported") {
  for (const std::size_t asks : {0u, 1u}) {
    CAPTURE(asks);
    talking_nodes all(2);
    all[0].program = {1, 2};
    all[1].program = {1, 9};
    bool has_reported = false, is_known_before = false, is_known = false;
    all[asks].when_found = [&] {
      all[asks].agrees.request_verdict([&] { (has_reported ? is_known : is_known_before) = true; }, all.context_);
      has_reported = true;
    };
    for (int i = 0; i < 2; ++i)
      for (std::size_t n = 0; n < 2; ++n) all.call(all[n]);
    all.poll_all(2 * divergence_detector::patience_polls);
    CHECK(has_reported);
    CHECK_FALSE(is_known_before);
    CHECK(is_known);
  }
}

TEST_CASE("a busy node replies to a query once it has made as many calls, or is idle") {
  for (const bool comes_as_far : {true, false}) {
    CAPTURE(comes_as_far);
    talking_nodes all(2);
    all[0].program = {1, 2, 3};
    all[1].program = {1, 2, 9};
    for (int i = 0; i < 3; ++i) all.call(all[0]);
    for (int i = 0; i < 2; ++i) all.call(all[1]);
    all[1].is_busy = true;  // and polls, on another thread
    bool is_known = false;
    all[0].agrees.request_verdict([&] { is_known = true; }, all.context_);
    all.poll_all(20 * divergence_detector::patience_polls);
    CHECK_FALSE(is_known);
    if (comes_as_far) all.call(all[1]);
    else all[1].is_busy = false;
    all.poll_all(2 * divergence_detector::patience_polls);
    CHECK(is_known);
    CHECK(all[0].found.has_value() == comes_as_far);
  }
}

TEST_CASE("a divergence of one node is reported on all nodes with the call, in any order of messages") {
  const std::uint32_t programs = test::scaled(600u, 20'000u);
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    std::mt19937 random(seed);
    talking_nodes all(2 + random() % 9);
    const std::size_t calls = 1 + random() % (seed % 16 == 0 ? 1500 : 60), at = random() % calls;
    const std::size_t other = random() % all.size();
    const auto what = random() % 3;
    for (std::size_t n = 0; n < all.size(); ++n)
      for (std::size_t i = 0; i < calls; ++i) {
        if (n == other && i == at && what == 0) continue;                        // one less
        if (n == other && i == at && what == 1) all[n].program.push_back(5000);  // one more
        all[n].program.push_back(n == other && i == at ? 6000 : static_cast<coordinate>(i));
      }
    for (std::size_t n = 0; n < all.size(); ++n) all[n].program.push_back(1000);  // the end
    const unsigned slow = seed % 5 == 0 ? static_cast<unsigned>(random() % all.size()) : ~0u;
    all.run(random, slow);
    CAPTURE(seed);
    for (std::size_t n = 0; n < all.size(); ++n) {
      REQUIRE(all[n].found);
      const divergence_report& d = *all[n].found;
      CHECK(d.is_first);
      CHECK(d.number == at);
      REQUIRE(d.groups.size() == 2);
      const auto is_of_other = [&](const divergence_report::group& g) {
        return g.nodes == std::vector<std::uint32_t>{static_cast<std::uint32_t>(other)};
      };
      CHECK(is_of_other(d.groups[0]) != is_of_other(d.groups[1]));
      CHECK(d.groups[0].what != d.groups[1].what);
      CHECK(d.groups[0].nodes.size() >= d.groups[1].nodes.size());
    }
  }
}

TEST_CASE("a node that ends early differs by its end, while others wait") {
  std::mt19937 random(1);
  talking_nodes all(4);
  for (std::size_t n = 0; n < 4; ++n) all[n].program = {1, 2, 3};
  all[3].program = {1, 2};
  all.run(random, ~0u);
  for (std::size_t n = 0; n < 4; ++n) CHECK_FALSE(all[n].found);  // the node may still catch up
  all[3].program.push_back(1000);
  all.run(random, ~0u);
  for (std::size_t n = 0; n < 4; ++n) {
    REQUIRE(all[n].found);
    CHECK(all[n].found->number == 2);
  }
}

TEST_CASE("a difference in calls that are no longer stored is reported as such") {
  std::mt19937 random(1);
  talking_nodes all(2);
  for (std::size_t n = 0; n < 2; ++n) {
    all[n].program.push_back(static_cast<coordinate>(n));
    for (std::size_t i = 0; i < 3 * call_history::most_kept; ++i) all[n].program.push_back(7);
    while (all[n].at < all[n].program.size()) all.call(all[n]);
  }
  all.run(random, ~0u);
  for (std::size_t n = 0; n < 2; ++n) {
    REQUIRE(all[n].found);
    CHECK_FALSE(all[n].found->is_first);
    CHECK(all[n].found->groups.size() == 2);
  }
}

TEST_CASE("failed nodes do not delay a query, and the remaining nodes find the divergence") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    talking_nodes all(5);
    for (std::size_t n = 0; n < 5; ++n) all[n].program = {1, 2, n == 1 ? 9 : 3, 4};
    for (std::size_t n = 0; n < 5; ++n)
      while (all[n].at < 4) all.call(all[n]);
    bool has_explained = false;
    all[0].agrees.request_verdict([&] { has_explained = true; }, all.context_);
    for (std::uint32_t i = seed % 20; i > 0; --i) all.deliver(random() % 25);
    all.lose(2 + seed % 3);
    all.run(random, ~0u);
    CAPTURE(seed);
    CHECK(has_explained);
    for (std::size_t n = 0; n < 5; ++n)
      if (!all[n].is_lost) {
        REQUIRE(all[n].found);
        CHECK(all[n].found->number == 2);
      }
  }
}

TEST_CASE("a node reports at the next poll after its last call, when it is idle, and after many calls") {
  talking_nodes all(2);
  all[0].program.assign(2 * divergence_detector::most_unreported, 1);
  all.call(all[0]);
  all.poll(0);
  CHECK(all.messages == 0);
  for (unsigned i = 0; i < divergence_detector::idle_polls; ++i) all.poll(0);
  CHECK(all.messages == 1);
  for (unsigned i = 0; i < 10 * divergence_detector::idle_polls; ++i) all.poll(0);
  CHECK(all.messages == 1);
  for (std::uint64_t i = 0; i < divergence_detector::most_unreported; ++i) all.call(all[0]);
  all.poll(0);
  CHECK(all.messages == 2);
  all.call(all[0]);
  all[0].agrees.end();
  all.poll(0);
  CHECK(all.messages == 3);
}
