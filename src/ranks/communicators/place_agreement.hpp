// place_agreement.hpp - the ranks of a communicator agree which of them take which places of a topology.
//
// Threads     one thread of each rank; all ranks of the old communicator call.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ranks/communicators/communicator.hpp"
#include "ranks/communicators/creation_exchange.hpp"
#include "ranks/communicators/rank_reordering.hpp"

namespace stretto::ranks {

/// The rank at each place, from the locations of as many ranks.
using place_choice = std::function<std::vector<int>(std::span<const rank_location>)>;

/// The rank of `parent` at each of `places` places, which its first ranks take; empty if they keep their order, or if
/// there are more places than ranks. Rank 0 chooses. `own` is the location of the calling rank.
std::vector<int> agreed_places(const communicator& parent, int places, rank_location own, creation_exchange& exchange,
                               const place_choice& choose);

}  // namespace stretto::ranks
