// test_rank.hpp - a rank whose functions of MPI are called, without a runtime.
#pragma once

#include <string>
#include <vector>

#include "ranks/communicators/rank_state.hpp"

namespace stretto::test {

/// The current rank while it lives: rank 1 of 4, after MPI_Init. Error handlers of the world return.
class test_rank {
 public:
  test_rank();
  ~test_rank();

  ranks::rank_state state;
  std::vector<ranks::requested_end> ends;  // asked for by fatal errors

  /// A communicator of the world's ranks with a topology.
  ranks::communicator& arranged(ranks::topology arrangement);

 private:
  std::vector<std::unique_ptr<ranks::communicator>> communicators_;
};

}  // namespace stretto::test
