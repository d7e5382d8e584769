#include "mpi_binding/test_rank.hpp"

#include <utility>

using namespace stretto;

namespace {

ranks::rank_state* current = nullptr;

std::shared_ptr<const ranks::communicator_members> members(ranks::communicator_number number, ranks::group local) {
  return std::make_shared<const ranks::communicator_members>(
      ranks::communicator_members{number, std::move(local), {}, {}});
}

}  // namespace

ranks::rank_state& ranks::current_rank() { return *current; }

test::test_rank::test_rank()
    : state(ranks::world_rank{1}, members(ranks::world_number, ranks::group(ranks::world_rank{0}, 4)),
            members(ranks::self_number, ranks::group(ranks::world_rank{1}, 1))) {
  state.phase = ranks::rank_phase::running;
  state.world.set_handler(ranks::predefined_handler(ranks::error_reaction::return_code));
  state.end = [this](const ranks::requested_end& end) { ends.push_back(end); };
  current = &state;
}

test::test_rank::~test_rank() { current = nullptr; }

ranks::communicator& test::test_rank::arranged(ranks::topology arrangement) {
  communicators_.push_back(std::make_unique<ranks::communicator>(state.world.shared_members(), 1));
  ranks::communicator& made = *communicators_.back();
  made.set_arrangement(std::make_shared<const ranks::topology>(std::move(arrangement)));
  made.set_handler(state.world.handler());
  return made;
}
