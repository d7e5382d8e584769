// rank_state.cpp - makes the predefined communicators.
#include "ranks/communicators/rank_state.hpp"

#include <cstdlib>
#include <stretto/error.hpp>
#include <utility>

#include "base/error_output.hpp"

namespace stretto::ranks {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local rank_state* state_of_thread = nullptr;

// There is no error handler: no rank is known.
[[noreturn]] void refuse_thread() {
  const auto e = error("R92", "a thread that is not a rank's own has called a function of MPI")
                     .because(
                         "threads that a program starts belong to no rank; MPI_Init_thread provides at most "
                         "MPI_THREAD_FUNNELED")
                     .remedy("let the thread that called MPI_Init call MPI");
  base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
  std::_Exit(1);
}

}  // namespace

// Reads and writes of the variable are calls: its address differs after a suspension.
[[gnu::noinline]] rank_state& current_rank() {
  if (!state_of_thread) [[unlikely]]
    refuse_thread();
  return *state_of_thread;
}
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
