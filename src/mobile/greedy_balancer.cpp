#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <stretto/balancer.hpp>

#include "mobile/node_loads.hpp"

namespace stretto::balancers {

using mobiles::node_loads;

// Assigns the objects anew, the heaviest first, each to the node that would finish it first. Moves nothing if that does
// not shorten the longest time.
object_moves greedy::operator()(const load_table& t) const {
  node_loads loads(t);
  const double before = loads.longest();
  if (!(before > 0) || !(loads.mean() > 0)) return {};

  // Among nodes of equal speed the least loaded one is the best, so only that one is compared.
  std::vector<double> load;
  std::map<double, std::set<std::pair<double, std::uint32_t>>> best_of_speed;
  for (std::uint32_t n = 0; n < loads.nodes(); ++n) {
    load.push_back(loads.background(n));
    if (loads.speed(n) > 0) best_of_speed[loads.speed(n)].emplace(load[n], n);
  }
  std::vector<std::size_t> order(t.objects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return loads.weight(i); });

  object_moves moves;
  for (const std::size_t i : order) {
    const double weight = loads.weight(i);
    if (!(weight > 0)) break;
    const std::uint32_t present = t.objects[i].node;
    std::uint32_t best = present;
    double earliest_end =
        node_loads::time_of(load[present] + weight, loads.speed(present));  // on equal times the object stays
    for (const auto& [speed, all] : best_of_speed) {
      const double end = node_loads::time_of(all.begin()->first + weight, speed);
      if (end < earliest_end) earliest_end = end, best = all.begin()->second;
    }
    auto& nodes = best_of_speed.at(loads.speed(best));
    nodes.erase({load[best], best});
    nodes.emplace(load[best] += weight, best);
    if (best != present) moves.push_back({i, best});
  }
  double after = 0;
  for (std::uint32_t n = 0; n < loads.nodes(); ++n)
    after = std::max(after, node_loads::time_of(load[n], loads.speed(n)));
  if (!(after < before)) return {};
  std::ranges::sort(moves, std::less<>(), &object_move::object);
  return moves;
}

}  // namespace stretto::balancers
