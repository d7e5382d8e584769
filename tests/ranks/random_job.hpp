// random_job.hpp - a job of random size on the model network, for tests of collectives.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "campaign.hpp"
#include "ranks/collective_data.hpp"
#include "ranks/collectives/direct_collective.hpp"
#include "ranks/model_network.hpp"

namespace stretto::test {

inline std::uint64_t collective_cases() { return test::scaled<std::uint64_t>(200, 4'000); }

/// A job of random size, and the numbers that all of its ranks share. Its ranks exchange messages, or one thread
/// performs the parts of a collective in any order.
struct random_job {
  explicit random_job(std::uint64_t seed)
      : random(seed), size(static_cast<int>(random.number(1, 17))), job(random.seed(), size) {
    root = static_cast<int>(random.number(0, size - 1));
    is_direct = random.one_in(3);
    if (random.one_in(3)) concurrency = static_cast<int>(random.number(1, 4));
    if (random.one_in(3)) {
      const auto number_of_nodes = random.number(1, 5);
      for (int i = 0; i < size; ++i) nodes.push_back(static_cast<int>(random.number(0, number_of_nodes)));
    }
  }

  /// The call of the next rank, from 0 on.
  void call(const ranks::collective_call& with) {
    const int rank = static_cast<int>(calls.size());
    calls.push_back(with);
    if (!is_direct) build(job[rank], group(rank), with);
  }
  void run() {
    if (is_direct) run_directly();
    else job.run();
  }
  ranks::collective_group group(int rank) const { return {rank, size, -1, concurrency, nodes}; }
  std::vector<std::int64_t> equal_lengths(std::int64_t length) const {
    return std::vector<std::int64_t>(static_cast<std::size_t>(size), length);
  }
  std::vector<std::int64_t> lengths() {
    std::vector<std::int64_t> made;
    for (int i = 0; i < size; ++i) made.push_back(random.length());
    return made;
  }
  /// Lengths of blocks, and whether they are equal.
  std::vector<std::int64_t> lengths_for(block_form form) {
    return form == block_form::regular ? equal_lengths(random.length()) : lengths();
  }

  void run_directly() {
    std::deque<ranks::collective_member> members;
    std::vector<ranks::collective_member*> by_rank;
    for (const ranks::collective_call& each : calls) by_rank.push_back(&members.emplace_back(each));
    const ranks::direct_collective all(by_rank);
    std::vector<std::int64_t> parts(static_cast<std::size_t>(all.parts()));
    std::iota(parts.begin(), parts.end(), 0);
    for (std::size_t left = parts.size(); left > 0; --left) {
      const auto chosen = static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(left) - 1));
      all.perform(parts[chosen], *by_rank[static_cast<std::size_t>(random.number(0, size - 1))]);
      std::swap(parts[chosen], parts[left - 1]);
    }
    for (const ranks::collective_member& each : members) REQUIRE(each.error.load() == 0);
  }

  collective_random random;
  int size;
  model_job job;
  int root = 0;
  int concurrency = 1000;
  std::vector<int> nodes;
  bool is_direct = false;
  std::deque<ranks::collective_call> calls;
};

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

inline void require_all(const std::vector<placed_data>& data) {
  for (const placed_data& each : data) REQUIRE(each.memory.is_as_expected());
}
inline void require_all(const std::vector<placed_blocks>& blocks) {
  for (const placed_blocks& each : blocks) REQUIRE(each.memory.is_as_expected());
}

}  // namespace stretto::test
