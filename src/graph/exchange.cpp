#include "graph/exchange.hpp"

#include <bit>

namespace stretto::graph {
namespace {

/// The nodes without a value. They are divided evenly among the contributors, each of which sends the result to its
/// own.
struct receivers_only {
  std::uint64_t contributors, receivers;

  node_number first_receiver_of(std::uint64_t contributor) const {
    return static_cast<node_number>(contributors + receivers * contributor / contributors);
  }
  node_number sender_to(std::uint64_t node) const {
    return static_cast<node_number>(((node - contributors + 1) * contributors - 1) / receivers);
  }
};

}  // namespace

std::vector<exchange_step> exchange_of(node_number self, node_number contributors, node_number nodes) {
  using fold_order = exchange_step::fold_order;
  const receivers_only without_value{contributors, nodes - contributors};
  std::vector<exchange_step> steps;
  const auto add_receive = [&](node_number from, fold_order order) { steps.push_back({{}, from, order}); };
  if (self >= contributors) {
    add_receive(without_value.sender_to(self), fold_order::replacing);
    return steps;
  }
  // Recursive doubling needs a power of two. The first `pairs` pairs of neighbours therefore act as one: the even node
  // folds the value of the odd one first, and sends it the result at the end.
  const node_number power_of_two = std::bit_floor(contributors), pairs = contributors - power_of_two;
  const bool is_paired = self < 2 * pairs;
  node_set final_receivers(without_value.first_receiver_of(self), without_value.first_receiver_of(self + 1u));
  if (is_paired && self % 2 == 1) {
    steps.push_back({node_set(self - 1, self), self - 1, fold_order::replacing});
  } else {
    if (is_paired) {
      add_receive(self + 1, fold_order::behind);
      final_receivers |= node_set(self + 1, self + 2);
    }
    const node_number position = is_paired ? self / 2 : self - pairs;
    const auto node_at = [&](node_number p) { return p < pairs ? 2 * p : p + pairs; };
    for (node_number distance = 1; distance < power_of_two; distance *= 2) {
      const node_number partner = position ^ distance;
      steps.push_back({node_set(node_at(partner), node_at(partner) + 1), node_at(partner),
                       partner > position ? fold_order::behind : fold_order::before});
    }
  }
  if (!final_receivers.is_empty()) steps.push_back({final_receivers, std::nullopt, fold_order::behind});
  return steps;
}

}  // namespace stretto::graph
