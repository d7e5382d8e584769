#include <algorithm>
#include <limits>
#include <set>

#include <stretto/balancer.hpp>

#include "mobile/node_loads.hpp"

namespace stretto::balancers {

using mobiles::node_loads;
using mobiles::placement;

namespace {

constexpr std::size_t no_object = std::numeric_limits<std::size_t>::max();

/// Chooses the object of node `heavy` to move to node `light`: the lightest that brings `heavy` down to its limit and
/// fits into the free capacity of `light`; else the heaviest that fits; else the lightest, if `light` would still
/// finish before `heavy` does now.
std::size_t choose_object(const placement& all, std::uint32_t heavy, std::uint32_t light, double excess,
                          double free_capacity) {
  const placement::heap& objects = all.objects_of(heavy);
  if (objects.empty()) return no_object;
  auto it = objects.lower_bound({excess, 0});
  if (it != objects.end() && it->first <= free_capacity) return ~it->second;
  it = objects.upper_bound({free_capacity, no_object});
  if (it != objects.begin()) return ~std::prev(it)->second;
  const auto [weight, position] = *objects.begin();
  const bool helps =
      node_loads::time_of(all.loads.load(light) + weight, all.loads.speed(light)) < all.loads.time(heavy);
  return helps ? ~position : no_object;
}

}  // namespace

// Moves single objects from the node with the longest time to the node with most free capacity, until no node is above
// its limit or no such move helps.
object_moves refine::operator()(const load_table& t) const {
  placement all(t);
  const node_loads& now = all.loads;
  if (!(now.mean() > 0)) return {};
  const auto limit = [&](std::uint32_t n) { return std::max(1.0, tolerance) * now.mean() * now.speed(n); };
  // Nodes above their limit, by time; and nodes by free capacity, the last has most.
  std::set<std::pair<double, std::uint32_t>> heavy, by_free_capacity;
  for (std::uint32_t n = 0; n < now.nodes(); ++n) {
    if (now.load(n) > limit(n)) heavy.emplace(now.time(n), n);
    if (now.speed(n) > 0) by_free_capacity.emplace(limit(n) - now.load(n), ~n);
  }
  while (!heavy.empty() && !by_free_capacity.empty()) {
    const std::uint32_t from = heavy.rbegin()->second, to = ~by_free_capacity.rbegin()->second;
    heavy.erase(std::prev(heavy.end()));
    const std::size_t object =
        from == to ? no_object : choose_object(all, from, to, now.load(from) - limit(from), limit(to) - now.load(to));
    if (object == no_object) continue;  // the node keeps its load
    by_free_capacity.erase(std::prev(by_free_capacity.end()));
    heavy.erase({now.time(to), to});
    by_free_capacity.erase({limit(from) - now.load(from), ~from});
    all.move_for_good(object, to);
    for (const std::uint32_t n : {from, to}) {
      if (now.load(n) > limit(n)) heavy.emplace(now.time(n), n);
      if (now.speed(n) > 0) by_free_capacity.emplace(limit(n) - now.load(n), ~n);
    }
  }
  return all.moves();
}

}  // namespace stretto::balancers
