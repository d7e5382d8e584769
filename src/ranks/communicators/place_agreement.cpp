// place_agreement.cpp - gathers locations, and passes on what rank 0 chooses.
#include "ranks/communicators/place_agreement.hpp"

#include <algorithm>
#include <cstdint>

namespace stretto::ranks {

std::vector<int> agreed_places(const communicator& parent, int places, rank_location own, creation_exchange& exchange,
                               const place_choice& choose) {
  if (places > parent.size()) return {};
  const std::vector<rank_location> all = gather_value(exchange, own);
  // Combined by AND, so the ones of the others leave the numbers of rank 0.
  std::vector<std::uint64_t> chosen(static_cast<std::size_t>(places), ~std::uint64_t{0});
  if (parent.rank() == 0) {
    const std::vector<int> order = choose(std::span(all).first(chosen.size()));
    chosen.assign(order.begin(), order.end());
  }
  exchange.combine(chosen);
  if (std::ranges::is_sorted(chosen)) return {};
  return {chosen.begin(), chosen.end()};
}

}  // namespace stretto::ranks
