#include "ranks/process/node_ranks.hpp"

namespace stretto::ranks {

node_ranks::node_ranks(int size)
    : peers_(static_cast<std::size_t>(size)),
      world_(members_->share(
          {.number = world_number, .local = group(world_rank{0}, size), .remote = {}, .local_number = {}})) {}

}  // namespace stretto::ranks
