// rank_state.cpp - makes the predefined communicators.
#include "ranks/communicators/rank_state.hpp"

#include <cstdlib>
#include <stretto/error.hpp>
#include <utility>

#include "base/error_output.hpp"

namespace stretto::ranks {

// There is no error handler: no rank is known.
void refuse_thread() {
  const auto e = error("R92", "a thread that belongs to no rank has called a function of MPI")
                     .because("neither pthread_create nor a task of a rank has started the thread")
                     .remedy("let the thread that called MPI_Init call MPI, or a thread that it has started");
  base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
  std::_Exit(1);
}

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
