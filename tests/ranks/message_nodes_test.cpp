// Messages between ranks of several nodes, on the simulated network: a mailbox stands for a rank.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/messages/send_buffer.hpp"
#include "ranks/messages/wait_targets.hpp"
#include "ranks/nodes/early_credit.hpp"
#include "ranks/ranks_on_nodes.hpp"

using namespace stretto;
using ranks::context_number, ranks::envelope, ranks::send_mode, ranks::world_rank;
using test::ranks_on_node, test::run_on_nodes;

namespace {

struct planned_message {
  int from, to, tag;
  std::size_t values;
  send_mode mode;
};

std::vector<int> values_of(const planned_message& m, int number) {
  std::vector<int> values(m.values);
  std::iota(values.begin(), values.end(), 1000 * number + m.from);
  return values;
}

std::vector<planned_message> plan_from(std::uint64_t seed, int of_job) {
  std::mt19937_64 random(seed);
  constexpr std::size_t sizes[] = {0, 1, 2, 200, 1000, 1500, 30'000};
  std::vector<planned_message> plan;
  for (int i = 0; i < 60; ++i)
    plan.push_back({static_cast<int>(random() % static_cast<unsigned>(of_job)),
                    static_cast<int>(random() % static_cast<unsigned>(of_job)), static_cast<int>(random() % 2),
                    sizes[random() % 7], static_cast<send_mode>(random() % 3)});
  return plan;
}

ranks::data_part plain(std::vector<int>& v) { return {v.data(), std::ssize(v) * 4}; }

/// Begins the sends of the plan, and then receives what comes to it, by source and tag or from any source.
void run_rank(ranks_on_node& on, int rank, const std::vector<planned_message>& plan) {
  std::vector<std::vector<int>> sent(plan.size());
  std::vector<ranks::request_owner> sends;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].from != rank) continue;
    sent[i] = values_of(plan[i], static_cast<int>(i));
    sends.push_back(ranks::start_send(on.to(rank, plan[i].to, plan[i].tag, plain(sent[i]), plan[i].mode)));
  }
  std::vector<bool> is_received(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].to != rank || is_received[i]) continue;
    std::vector<int> values(30'001);
    const int source = i % 3 == 0 ? ranks::any_source : plan[i].from;
    const auto status =
        ranks::receive({on.boxes[world_rank{rank}], {context_number(0), source, plan[i].tag}, plain(values)});
    // The oldest of its sender and tag that this rank has not received.
    std::size_t k = 0;
    while (k < plan.size() &&
           (is_received[k] || plan[k].to != rank || plan[k].from != status.source || plan[k].tag != status.tag))
      ++k;
    REQUIRE(k < plan.size());
    is_received[k] = true;
    CHECK(status.bytes == static_cast<std::int64_t>(plan[k].values) * 4);
    values.resize(plan[k].values);
    CHECK(values == values_of(plan[k], static_cast<int>(k)));
    if (!is_received[i]) --i;  // another one has come first
  }
  for (const auto& send : sends) ranks::wait_for(*send);
}

}  // namespace

TEST_CASE("each rank of the job is on one node, and nodes have equally many or one less") {
  for (const auto order : {ranks::rank_order::blocks, ranks::rank_order::cyclic})
    for (int nodes = 1; nodes < 6; ++nodes)
      for (int count = 1; count < 14; ++count) {
        const ranks::rank_map map(count, nodes, order);
        int least = count, most = 0, all = 0;
        for (int n = 0; n < nodes; ++n) {
          const auto own = map.ranks_of(n);
          for (const world_rank rank : own) CHECK(map.node_of(rank) == n);
          least = std::min(least, static_cast<int>(own.size())), most = std::max(most, static_cast<int>(own.size()));
          all += static_cast<int>(own.size());
        }
        CHECK(all == count);
        CHECK(most - least <= 1);
      }
}

TEST_CASE("messages between nodes come in order, whatever their size and mode") {
  const auto seeds = std::max<std::uint64_t>(6, test::scaled_of_one_thread<std::uint64_t>(10, 300));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const int of_job = 2 + static_cast<int>(seed % 4);
    const auto plan = plan_from(seed, of_job);
    run_on_nodes({.nodes = 2 + static_cast<std::uint32_t>(seed % 2), .seed = seed}, of_job,
                 [&](ranks_on_node& on, int rank) { run_rank(on, rank, plan); });
  }
}

TEST_CASE("data of other layouts, and too much of it, goes between nodes") {
  const auto column = ranks::make_vector(3000, 1, 3, *ranks::predefined_type(0x250));
  const auto pairs = ranks::make_vector(1500, 2, 4, *ranks::predefined_type(0x250));
  column->commit(), pairs->commit();
  run_on_nodes({.nodes = 2, .seed = 3}, 2, [&](ranks_on_node& on, int rank) {
    std::vector<int> values(9000);
    std::iota(values.begin(), values.end(), 0);
    if (rank == 0) {
      ranks::send(on.to(0, 1, 1, {values.data(), 1, *column}));
      ranks::send(on.to(0, 1, 2, plain(values)));
      return ranks::send(on.to(0, 1, 3, plain(values), send_mode::buffered));
    }
    std::ranges::fill(values, -1);
    ranks::mailbox& own = on.boxes[world_rank{1}];
    CHECK(ranks::receive({own, {context_number(0), 0, 1}, {values.data(), 1, *pairs}}).bytes == 12'000);
    bool is_equal = true;
    for (int k = 0; k < 3000; ++k) is_equal &= values[static_cast<std::size_t>(k / 2 * 4 + k % 2)] == 3 * k;
    CHECK(is_equal);
    for (const int tag : {2, 3}) {
      const auto taken = ranks::matched_probe(own, {context_number(0), ranks::any_source, tag});
      CHECK(taken.status.bytes == 36'000);
      const auto status = ranks::receive_matched(own, taken.message, {values.data(), 400});
      CHECK(status.error == ranks::error_class::truncate);
      CHECK(status.bytes == 400);
      CHECK(status.message_bytes == 36'000);
      CHECK(values[99] == 99);
    }
  });
}

TEST_CASE("messages beyond the limit of early ones stay with their sender, and are received in any order") {
  constexpr int count = 64 << 10, small = 1000, last_tag = 2;  // 64 KiB messages of about 1 KiB
  run_on_nodes({.nodes = 2, .seed = 7}, 2, [&](ranks_on_node& on, int rank) {
    if (rank == 0) {
      std::vector<int> values(small / 4, 5);
      std::vector<ranks::request_owner> sends;
      for (int i = 0; i < count; ++i) sends.push_back(ranks::start_send(on.to(0, 1, 1, plain(values))));
      // All but those within the limit wait for their receives.
      const auto done = std::ranges::count_if(sends, [](const auto& one) { return one->is_done(); });
      CHECK(done == ranks::most_early_bytes / ranks::early_cost(small));
      ranks::cancel(*sends.back());
      ranks::wait_for(*sends.back());
      CHECK(sends.back()->status.is_cancelled);
      ranks::send(on.to(0, 1, last_tag, {}));  // it is received first
      for (const auto& one : sends) ranks::wait_for(*one);
      for (int i = 0; i < count; ++i) ranks::send(on.to(0, 1, 3, plain(values)));  // while the receiver receives
      return;
    }
    ranks::mailbox& own = on.boxes[world_rank{1}];
    std::vector<int> values(small / 4);
    const auto receive = [&](int tag) {
      std::ranges::fill(values, 0);
      CHECK(ranks::receive({own, {context_number(0), 0, tag}, plain(values)}).bytes == (tag == last_tag ? 0 : small));
      if (tag != last_tag) REQUIRE(std::ranges::count(values, 5) == small / 4);
    };
    receive(last_tag);
    for (int i = 0; i + 1 < count; ++i) receive(1);
    for (int i = 0; i < count; ++i) receive(3);
  });
}

TEST_CASE("a send to another node that no receive takes is cancelled") {
  run_on_nodes({.nodes = 2, .seed = 5}, 2, [&](ranks_on_node& on, int rank) {
    std::vector<int> values(9000);
    ranks::mailbox& own = on.boxes[world_rank{rank}];
    if (rank == 1) {
      ranks::receive({own, {context_number(0), 0, 2}, plain(values)});
      CHECK_FALSE(ranks::try_probe(own, {context_number(0), 0, 1}));
      return ranks::send(on.to(1, 0, 3, {}));
    }
    for (const auto mode : {send_mode::standard, send_mode::synchronous}) {
      const auto send = ranks::start_send(on.to(0, 1, 1, plain(values), mode));
      ranks::wait_targets targets;  // for reports of hangs
      ranks::add_targets(*send, targets);
      CHECK(targets.receivers == std::vector{world_rank{1}});
      ranks::cancel(*send);
      ranks::wait_for(*send);
      CHECK(send->status.is_cancelled);
    }
    const auto received = ranks::start_send(on.to(0, 1, 2, plain(values), send_mode::synchronous));
    ranks::receive({own, {context_number(0), 1, 3}, {}});
    ranks::cancel(*received);
    ranks::wait_for(*received);
    CHECK_FALSE(received->status.is_cancelled);
  });
}
