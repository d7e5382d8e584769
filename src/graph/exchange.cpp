#include "graph/exchange.hpp"

#include <bit>

namespace stretto::graph {
namespace {

/// Distributes the nodes without a value evenly among the contributors, which send them the result.
struct others {
  std::uint64_t contributors, number;

  node_number first_of(std::uint64_t contributor) const {
    return static_cast<node_number>(contributors + number * contributor / contributors);
  }
  node_number giver_of(std::uint64_t node) const {
    return static_cast<node_number>(((node - contributors + 1) * contributors - 1) / number);
  }
};

}  // namespace

std::vector<exchange_step> exchange_of(node_number self, node_number contributors, node_number nodes) {
  using fold_order = exchange_step::fold_order;
  const others rest{contributors, nodes - contributors};
  std::vector<exchange_step> steps;
  const auto get = [&](node_number from, fold_order received) { steps.push_back({{}, from, received}); };
  if (self >= contributors) {
    get(rest.giver_of(self), fold_order::replacing);
    return steps;
  }
  // Pairs of neighbours merge until the number of contributors is a power of two.
  const node_number doubling = std::bit_floor(contributors), pairs = contributors - doubling;
  const bool is_paired = self < 2 * pairs;
  node_set last(rest.first_of(self), rest.first_of(self + 1u));
  if (is_paired && self % 2 == 1) {
    steps.push_back({node_set(self - 1, self), self - 1, fold_order::replacing});
  } else {
    if (is_paired) {
      get(self + 1, fold_order::behind);
      last |= node_set(self + 1, self + 2);
    }
    const node_number place = is_paired ? self / 2 : self - pairs;
    const auto node_at = [&](node_number p) { return p < pairs ? 2 * p : p + pairs; };
    for (node_number far = 1; far < doubling; far *= 2) {
      const node_number other = place ^ far;
      steps.push_back({node_set(node_at(other), node_at(other) + 1), node_at(other),
                       other > place ? fold_order::behind : fold_order::before});
    }
  }
  if (!last.is_empty()) steps.push_back({last, std::nullopt, fold_order::behind});
  return steps;
}

}  // namespace stretto::graph
