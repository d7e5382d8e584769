// balancers.cpp - the functions of stretto/balancer.hpp, except for greedy and refine, which have files of their own.
// All are pure functions. balance() calls a balancer as a task on one node; programs may call them on any thread.
#include <stretto/balancer.hpp>
#include <stretto/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "mobile/node_loads.hpp"

namespace stretto {

using mobiles::node_loads;
using mobiles::placement;

scarce scarcest(const load_table& t) {
  using mobiles::counted_load;
  double seconds = 0, speed = 0, device_seconds = 0, devices = 0;
  for (const load_table::node& n : t.nodes) {
    seconds += counted_load(n.background);
    speed += counted_load(n.speed);
    device_seconds += counted_load(n.device_background);
    if (counted_load(n.speed) > 0) devices += counted_load(n.devices);
  }
  for (const load_table::object& o : t.objects) {
    seconds += counted_load(o.seconds);
    device_seconds += counted_load(o.device_seconds);
  }
  // Compares device_seconds / devices with seconds / speed. Without devices, no load can move to one.
  return devices > 0 && device_seconds * speed > seconds * devices ? scarce::devices : scarce::workers;
}

double imbalance(const load_table& t) {
  const node_loads loads(t);
  const double longest = loads.longest();
  return longest > 0 ? longest / loads.mean() : 1;
}

load_table moved(const load_table& t, const object_moves& moves) {
  load_table to = t;
  std::vector<bool> has_moved(t.objects.size());
  const auto refuse = [](std::string what, std::string because) {
    throw error("G05", "a balancer " + std::move(what))
        .because(std::move(because))
        .remedy("name objects by their position in load_table::objects, and nodes by theirs in load_table::nodes");
  };
  for (const object_move& m : moves) {
    if (m.object >= t.objects.size())
      refuse("moves unknown object " + std::to_string(m.object),
             "its table has " + std::to_string(t.objects.size()) + " objects, numbered from 0");
    if (m.to >= t.nodes.size())
      refuse("moves an object to unknown node " + std::to_string(m.to),
             "its table has " + std::to_string(t.nodes.size()) + " nodes, numbered from 0");
    if (has_moved[m.object])
      refuse("moves object " + std::to_string(m.object) + " twice", "an object can be at one node only");
    has_moved[m.object] = true;
    to.objects[m.object].node = m.to;
  }
  return to;
}

balancer by_hints(balancer decide) {
  return [decide = std::move(decide)](const load_table& t) {
    load_table hinted = t;
    for (load_table::object& o : hinted.objects) o.seconds = o.hint, o.device_seconds = 0;
    for (load_table::node& n : hinted.nodes) n.background = n.device_background = 0;
    return decide(hinted);
  };
}

namespace balancers {

object_moves none::operator()(const load_table&) const { return {}; }

// Dimension exchange: in a hypercube one bit of the node number after the other, in a ring first the pairs that begin
// with an even number, then the others.
object_moves diffusion::operator()(const load_table& t) const {
  placement all(t);
  const std::uint32_t nodes = all.loads.nodes();
  for (unsigned sweep = 0; sweep < sweeps; ++sweep) {
    bool has_moved = false;
    const auto even_out = [&](std::uint32_t one, std::uint32_t other) {
      if (one != other && all.even_out(one, other)) has_moved = true;
    };
    if (neighbours == shape::hypercube) {
      for (std::uint32_t bit = 1; bit < nodes; bit <<= 1)
        for (std::uint32_t n = 0; n < nodes; ++n)
          if (!(n & bit) && (n | bit) < nodes) even_out(n, n | bit);
    } else {
      for (std::uint32_t first = 0; first < 2; ++first)
        for (std::uint32_t n = first; n < nodes; n += 2) even_out(n, (n + 1) % nodes);
    }
    if (!has_moved) break;
  }
  return all.moves();
}

// The idlest thief steals first. Each steals from the node that needs the most time then.
object_moves stealing::operator()(const load_table& t) const {
  placement all(t);
  std::set<std::pair<double, std::uint32_t>> by_time, thieves;
  for (std::uint32_t n = 0; n < all.loads.nodes(); ++n) {
    const double time = all.loads.time(n);
    by_time.emplace(time, n);
    if (all.loads.speed(n) > 0 && time < idle_below * all.loads.mean()) thieves.emplace(time, n);
  }
  for (const auto& [time, thief] : thieves) {
    const std::uint32_t victim = by_time.rbegin()->second;
    if (victim == thief) break;
    // Their times change, so both nodes leave the set meanwhile.
    by_time.erase(std::prev(by_time.end()));
    by_time.erase({all.loads.time(thief), thief});
    all.even_out(thief, victim);
    by_time.emplace(all.loads.time(victim), victim);
    by_time.emplace(all.loads.time(thief), thief);
  }
  return all.moves();
}

}  // namespace balancers
}  // namespace stretto
