// test_rank.hpp - a rank whose functions of MPI are called, without a runtime.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ranks/communicators/rank_state.hpp"

namespace stretto::test {

/// The current rank of its thread while it lives, after MPI_Init. The error handler of the world returns.
class test_rank {
 public:
  explicit test_rank(int number = 1, int count = 4);
  ~test_rank();

  ranks::rank_state state;
  std::vector<ranks::requested_end> ends;  // asked for by fatal errors

  /// A communicator of the world's ranks with a topology.
  ranks::communicator& arranged(ranks::topology arrangement);

 private:
  const ranks::thread_identity identity_{nullptr, &state};
  std::vector<std::unique_ptr<ranks::communicator>> communicators_;
};

/// Runs a program in so many ranks, each a thread, two on each node. All communicators that it creates must be freed.
void run_ranks(int count, const std::function<void(int rank)>& program);

}  // namespace stretto::test
