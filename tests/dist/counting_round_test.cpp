#include "dist/counting_round.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "campaign.hpp"

namespace stretto::dist {
namespace {

struct message_sums {
  std::uint64_t sent = 0, handled = 0;
  message_sums& operator+=(const message_sums& b) noexcept {
    sent += b.sent, handled += b.handled;
    return *this;
  }
  friend bool operator==(const message_sums&, const message_sums&) = default;
};

using round_of_messages = counting_round<message_sums>;

/// A round in which nodes 0, 1, ... reply `all`, in that order.
round_of_messages::comparison full_round(round_of_messages& round, const std::vector<message_sums>& all) {
  const round_number number = round.begin(static_cast<std::uint32_t>(all.size()));
  for (std::size_t r = 0; r < all.size(); ++r) CHECK(round.add(static_cast<rank>(r), number, all[r]));
  REQUIRE(round.is_complete());
  return round.end();
}

TEST_CASE("a round is complete when each node has replied once, in any order") {
  round_of_messages round;
  CHECK_FALSE(round.is_open());
  const round_number number = round.begin(3);
  CHECK(number == round_number{1});
  CHECK(round.is_open());
  CHECK(round.missing_replies() == 3);
  CHECK(round.add(2, number, {1, 2}));
  CHECK(round.add(0, number, {3, 4}));
  CHECK_FALSE(round.awaits(0));
  CHECK(round.awaits(1));
  CHECK_FALSE(round.is_complete());
  CHECK(round.add(1, number, {5, 6}));
  CHECK(round.is_complete());
  const auto first = round.end();
  CHECK(first.sum == message_sums{9, 12});
  CHECK_FALSE(first.previous);
  CHECK_FALSE(first.is_unchanged);
  CHECK_FALSE(round.is_open());
  CHECK_FALSE(round.awaits(1));
}

TEST_CASE("a repeated reply, a reply of another round and a reply to no round change nothing") {
  round_of_messages round;
  CHECK_FALSE(round.add(0, round_number{}, {1, 1}));
  const round_number first = round.begin(2);
  CHECK(round.add(0, first, {1, 1}));
  CHECK_FALSE(round.add(0, first, {7, 7}));
  CHECK_FALSE(round.add(1, base::next(first), {7, 7}));
  CHECK(round.add(1, first, {2, 2}));
  CHECK(round.end().sum == message_sums{3, 3});
  CHECK_FALSE(round.add(1, first, {7, 7}));
  const round_number second = round.begin(2);
  CHECK(second == base::next(first));
  CHECK_FALSE(round.add(1, first, {7, 7}));  // a late one
  CHECK(round.missing_replies() == 2);
}

TEST_CASE("a round equals the previous one if each node has replied the same in both") {
  round_of_messages round;
  full_round(round, {{4, 1}, {0, 3}});
  const auto second = full_round(round, {{4, 1}, {0, 3}});
  CHECK(second.is_unchanged);
  CHECK(second.previous == message_sums{4, 4});
  CHECK(second.sum == message_sums{4, 4});
  const auto third = full_round(round, {{4, 2}, {0, 3}});
  CHECK_FALSE(third.is_unchanged);
  CHECK(third.previous == message_sums{4, 4});
  const auto fourth = full_round(round, {{4, 1}, {0, 4}});  // the sums are equal, the replies are not
  CHECK_FALSE(fourth.is_unchanged);
  CHECK(fourth.previous == fourth.sum);
}

TEST_CASE("a message that is in flight in both rounds shows in the sums") {
  round_of_messages round;
  full_round(round, {{1, 0}, {0, 0}});
  const auto second = full_round(round, {{1, 0}, {0, 0}});
  CHECK(second.is_unchanged);
  CHECK(second.sum.sent != second.sum.handled);
}

TEST_CASE("a message that passes behind a round shows in the next one") {
  // Node 0 replies; then node 1, which has replied too, sends to node 0, and node 0 sends to node 2, which replies.
  round_of_messages round;
  const auto first = full_round(round, {{0, 0}, {0, 0}, {0, 1}});
  CHECK(first.sum.sent != first.sum.handled);
  CHECK_FALSE(full_round(round, {{1, 1}, {1, 0}, {0, 1}}).is_unchanged);
  CHECK(full_round(round, {{1, 1}, {1, 0}, {0, 1}}).is_unchanged);
}

TEST_CASE("a node that has failed before a round is not awaited") {
  round_of_messages round;
  const auto has_failed = [](rank r) { return r == 1; };
  const round_number number = round.begin(3, has_failed);
  CHECK(round.missing_replies() == 2);
  CHECK_FALSE(round.awaits(1));
  CHECK_FALSE(round.add(1, number, {7, 7}));
  CHECK(round.add(0, number, {1, 1}));
  CHECK(round.add(2, number, {1, 1}));
  CHECK(round.end().sum == message_sums{2, 2});
  const round_number next = round.begin(3, has_failed);
  CHECK(round.add(0, next, {1, 1}));
  CHECK(round.add(2, next, {1, 1}));
  CHECK(round.end().is_unchanged);
}

TEST_CASE("the failure of a node completes the round that awaits only this node") {
  round_of_messages round;
  full_round(round, {{1, 1}, {2, 2}});
  const round_number number = round.begin(2);
  CHECK(round.add(0, number, {1, 1}));
  round.on_node_failed(1);
  CHECK(round.is_complete());
  CHECK_FALSE(round.add(1, number, {2, 2}));
  const auto second = round.end();
  CHECK(second.sum == message_sums{1, 1});
  CHECK_FALSE(second.previous);  // it has the counts of node 1
  CHECK_FALSE(second.is_unchanged);
  const round_number next = round.begin(2, [](rank r) { return r == 1; });
  CHECK(round.add(0, next, {1, 1}));
  CHECK(round.end().is_unchanged);  // both rounds are of node 0 only
}

TEST_CASE("a round that has the counts of a node that failed afterwards is compared with no other") {
  round_of_messages round;
  full_round(round, {{1, 1}, {2, 2}});
  const round_number number = round.begin(2);
  CHECK(round.add(1, number, {2, 2}));
  round.on_node_failed(1);
  CHECK_FALSE(round.is_complete());
  CHECK(round.add(0, number, {1, 1}));
  CHECK_FALSE(round.end().previous);
  // Node 0 has sent and handled two messages since: the sums are those of the round before.
  const round_number next = round.begin(2, [](rank r) { return r == 1; });
  CHECK(round.add(0, next, {3, 3}));
  const auto third = round.end();
  CHECK_FALSE(third.previous);
  CHECK_FALSE(third.is_unchanged);
}

TEST_CASE("a failed node that has counted nothing is missed in no comparison of later rounds") {
  round_of_messages round;
  const round_number number = round.begin(2);
  CHECK(round.add(1, number, {}));
  round.on_node_failed(1);
  CHECK(round.add(0, number, {1, 1}));
  round.end();
  const round_number next = round.begin(2, [](rank r) { return r == 1; });
  CHECK(round.add(0, next, {1, 1}));
  CHECK(round.end().is_unchanged);
}

TEST_CASE("the failure of a node between two rounds invalidates the first") {
  round_of_messages round;
  full_round(round, {{1, 1}, {0, 0}});
  round.on_node_failed(1);
  const round_number next = round.begin(2, [](rank r) { return r == 1; });
  CHECK(round.add(0, next, {1, 1}));
  CHECK_FALSE(round.end().is_unchanged);
}

TEST_CASE("a closed round takes no replies, and one that is forgotten is not compared") {
  round_of_messages round;
  full_round(round, {{1, 1}});
  const round_number closed = round.begin(1);
  round.close();
  CHECK_FALSE(round.add(0, closed, {7, 7}));
  CHECK(round.missing_replies() == 0);
  CHECK(full_round(round, {{1, 1}}).is_unchanged);  // as the last round that has ended
  round.forget_previous();
  CHECK_FALSE(full_round(round, {{1, 1}}).is_unchanged);
}

/// Nodes that pass messages on while they are queried. Queries and replies overtake messages.
void count_at_random(std::uint64_t seed, bool a_node_fails) {
  std::mt19937_64 random(seed);
  constexpr std::uint32_t nodes = 4;
  constexpr rank failing = 3;
  struct in_flight {
    rank from, to;
    unsigned depth;
  };
  std::vector<in_flight> messages;
  std::vector<std::pair<rank, round_number>> queries;
  std::deque<std::pair<rank, message_sums>> replies;
  std::array<std::array<message_sums, nodes>, nodes> traffic{};  // by node, with each node
  std::array<bool, nodes> has_failed{};
  round_of_messages round;
  const auto send = [&](rank from, unsigned depth) {
    const auto to = static_cast<rank>(random() % nodes);
    if (has_failed[to]) return;
    ++traffic[from][to].sent;
    messages.push_back({from, to, depth});
  };
  const auto counts_of = [&](rank r) {  // without those that have failed, as dist::job counts
    message_sums all;
    for (rank other = 0; other < nodes; ++other)
      if (!has_failed[other]) all += traffic[r][other];
    return all;
  };
  for (rank r = 0; r < nodes; ++r) send(r, 6);
  round_number number{};
  for (unsigned steps = 0;; ++steps) {
    REQUIRE(steps < 100'000);
    if (a_node_fails && steps == 10 + seed % 50) {
      has_failed[failing] = true;
      std::erase_if(messages, [](const in_flight& m) { return m.from == failing || m.to == failing; });
      std::erase_if(queries, [](const auto& q) { return q.first == failing; });
      round.on_node_failed(failing);
    }
    if (!round.is_open()) {
      number = round.begin(nodes, [&](rank r) { return has_failed[r]; });
      for (rank r = 0; r < nodes; ++r)
        if (round.awaits(r)) queries.emplace_back(r, number);
    }
    switch (random() % 3) {
      case 0:
        if (messages.empty()) break;
        {
          const std::size_t at = random() % messages.size();
          const in_flight m = messages[at];
          messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(at));
          for (auto n = m.depth ? random() % 3 : 0; n > 0; --n) send(m.to, m.depth - 1);
          ++traffic[m.to][m.from].handled;
        }
        break;
      case 1:
        if (queries.empty()) break;
        {
          const std::size_t at = random() % queries.size();
          replies.emplace_back(queries[at].first, counts_of(queries[at].first));
          queries.erase(queries.begin() + static_cast<std::ptrdiff_t>(at));
        }
        break;
      default:
        if (replies.empty()) break;
        round.add(replies.front().first, number, replies.front().second);
        replies.pop_front();
    }
    if (!round.is_complete()) continue;
    const auto now = round.end();
    queries.clear();
    replies.clear();
    if (!now.is_unchanged || now.sum.sent != now.sum.handled) continue;
    CHECK(messages.empty());
    return;
  }
}

TEST_CASE("two equal rounds with as many messages sent as handled prove that none is in flight") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(500, 50'000); ++seed) {
    CAPTURE(seed);
    count_at_random(seed, false);
    count_at_random(seed, true);
  }
}

}  // namespace
}  // namespace stretto::dist
