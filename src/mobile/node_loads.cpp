#include "mobile/node_loads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stretto::mobiles {

double counted_load(double seconds) noexcept { return std::isfinite(seconds) && seconds > 0 ? seconds : 0; }

node_loads::node_loads(const load_table& t) {
  const bool of_devices = scarcest(t) == scarce::devices;
  double all = 0, speeds = 0;
  for (const load_table::node& n : t.nodes) {
    background_.push_back(counted_load(of_devices ? n.device_background : n.background));
    speed_.push_back(counted_load(of_devices && counted_load(n.speed) > 0 ? n.devices : n.speed));
    load_.push_back(background_.back());
    all += load_.back();
    speeds += speed_.back();
  }
  for (const load_table::object& o : t.objects) {
    weight_.push_back(counted_load(of_devices ? o.device_seconds : o.seconds));
    load_[o.node] += weight_.back();
    all += weight_.back();
  }
  if (speeds > 0) mean_ = all / speeds;
}

double node_loads::time_of(double load, double speed) noexcept {
  if (speed > 0) return load / speed;
  return load > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double node_loads::longest() const noexcept {
  double most = 0;
  for (std::uint32_t n = 0; n < nodes(); ++n) most = std::max(most, time(n));
  return most;
}

placement::placement(const load_table& t) : loads(t), table_(t), of_(t.nodes.size()) {
  at_.reserve(t.objects.size());
  for (std::size_t i = 0; i < t.objects.size(); ++i) {
    at_.push_back(t.objects[i].node);
    if (loads.weight(i) > 0) of_[at_[i]].emplace(loads.weight(i), ~i);
  }
}

void placement::move_for_good(std::size_t object, std::uint32_t to) {
  const std::uint32_t from = std::exchange(at_[object], to);
  of_[from].erase({loads.weight(object), ~object});
  loads.put(object, from, to);
}

void placement::move(std::size_t object, std::uint32_t to) {
  move_for_good(object, to);
  of_[to].emplace(loads.weight(object), ~object);
}

bool placement::even_out(std::uint32_t one, std::uint32_t other) {
  if (loads.time(one) < loads.time(other)) std::swap(one, other);
  const double speed = loads.speed(one), room = loads.speed(other);
  if (!(room > 0)) return false;
  // The load to move: afterwards both nodes need the same time.
  double left = (loads.load(one) * room - loads.load(other) * speed) / (speed + room);
  bool has_moved = false;
  while (left > 0) {
    const auto beyond = of_[one].upper_bound({left, std::numeric_limits<std::size_t>::max()});
    if (beyond == of_[one].begin()) break;
    const auto [weight, mark] = *std::prev(beyond);
    left -= weight;
    move(~mark, other);
    has_moved = true;
  }
  if (has_moved || of_[one].empty()) return has_moved;
  const auto [weight, mark] = *of_[one].begin();
  if (!(node_loads::time_of(loads.load(other) + weight, room) < loads.time(one))) return false;
  move(~mark, other);
  return true;
}

object_moves placement::moves() const {
  object_moves all;
  for (std::size_t i = 0; i < at_.size(); ++i)
    if (at_[i] != table_.objects[i].node) all.push_back({i, at_[i]});
  return all;
}

}  // namespace stretto::mobiles
