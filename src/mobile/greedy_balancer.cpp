#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <stretto/balancer.hpp>

#include "mobile/node_loads.hpp"

namespace stretto::balancers {

using mobiles::node_loads;

object_moves greedy::operator()(const load_table& t) const {
  node_loads now(t);
  const double before = now.longest();
  if (!(before > 0) || !(now.mean() > 0)) return {};

  // Among nodes of one speed the least loaded one is the best: only the best node of each speed is compared.
  std::vector<double> load;
  std::map<double, std::set<std::pair<double, std::uint32_t>>> by_speed;
  for (std::uint32_t n = 0; n < now.nodes(); ++n) {
    load.push_back(now.background(n));
    if (now.speed(n) > 0) by_speed[now.speed(n)].emplace(load[n], n);
  }
  std::vector<std::size_t> order(t.objects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return now.weight(i); });

  object_moves moves;
  for (const std::size_t i : order) {
    const double weight = now.weight(i);
    if (!(weight > 0)) break;
    const std::uint32_t home = t.objects[i].node;
    std::uint32_t best = home;
    double soonest = node_loads::time_of(load[home] + weight, now.speed(home));  // on equal times the object stays
    for (const auto& [speed, all] : by_speed) {
      const double end = node_loads::time_of(all.begin()->first + weight, speed);
      if (end < soonest) soonest = end, best = all.begin()->second;
    }
    auto& nodes = by_speed.at(now.speed(best));
    nodes.erase({load[best], best});
    nodes.emplace(load[best] += weight, best);
    if (best != home) moves.push_back({i, best});
  }
  double after = 0;
  for (std::uint32_t n = 0; n < now.nodes(); ++n) after = std::max(after, node_loads::time_of(load[n], now.speed(n)));
  if (!(after < before)) return {};
  std::ranges::sort(moves, std::less<>(), &object_move::object);
  return moves;
}

}  // namespace stretto::balancers
