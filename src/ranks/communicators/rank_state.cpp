// rank_state.cpp - makes the predefined communicators.
#include "ranks/communicators/rank_state.hpp"

#include <utility>

namespace stretto::ranks {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local rank_state* state_of_thread = nullptr;

}  // namespace

// Reads and writes of the variable are calls: its address differs after a suspension.
[[gnu::noinline]] rank_state& current_rank() { return *state_of_thread; }
[[gnu::noinline]] void set_current_rank(rank_state* state) noexcept { state_of_thread = state; }

rank_state::rank_state(world_rank rank, std::shared_ptr<const communicator_members> world_members,
                       std::shared_ptr<const communicator_members> self_members)
    : world(world_members, *world_members->local.rank_of(rank)), self(std::move(self_members), 0) {
  world.set_name("MPI_COMM_WORLD");
  self.set_name("MPI_COMM_SELF");
  attributes.universe_size = world.size();
}

communicator& default_communicator(rank_state& state) {
  const bool is_self_unchanged = state.self.handler()->reaction() == error_reaction::fatal;
  return is_self_unchanged ? state.world : state.self;
}

}  // namespace stretto::ranks
