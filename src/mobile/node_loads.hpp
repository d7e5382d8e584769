// node_loads.hpp - a load table in the form that balancers need: the weight of each object, and the load of each node
// while a balancer plans moves. Counts the scarcer of two resources: workers or devices.
//
// Threads     Pure values.
// Invariants  (1) load(n) is the background of node n plus the weights of the objects there, except for rounding.
#pragma once

#include <stretto/balancer.hpp>

#include <set>
#include <utility>
#include <vector>

namespace stretto::mobiles {

/// `seconds`, or 0 if it is negative or not finite.
double counted_load(double seconds) noexcept;

class node_loads {
 public:
  explicit node_loads(const load_table& t);

  std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(load_.size()); }
  double weight(std::size_t object) const noexcept { return weight_[object]; }
  double load(std::uint32_t node) const noexcept { return load_[node]; }
  double speed(std::uint32_t node) const noexcept { return speed_[node]; }
  double background(std::uint32_t node) const noexcept { return background_[node]; }
  /// Infinite if a node with load has no speed.
  double time(std::uint32_t node) const noexcept { return time_of(load_[node], speed_[node]); }
  static double time_of(double load, double speed) noexcept;
  /// The time that every node would need if all needed the same; 0 without load.
  double mean() const noexcept { return mean_; }
  double longest() const noexcept;

  void put(std::size_t object, std::uint32_t from, std::uint32_t to) noexcept {
    load_[from] -= weight_[object];
    load_[to] += weight_[object];
  }

 private:
  std::vector<double> weight_, load_, speed_, background_;
  double mean_ = 0;
};

/// The node loads with the current node of each object, and the objects of each node in order.
class placement {
 public:
  explicit placement(const load_table& t);

  node_loads loads;
  /// By weight, the lightest first; equal ones by position, the highest first. Objects without weight are left out.
  using heap = std::set<std::pair<double, std::size_t>>;
  const heap& objects_of(std::uint32_t node) const noexcept { return of_[node]; }

  /// Moves an object, which may be moved again.
  void move(std::size_t object, std::uint32_t to);
  /// Moves an object that must not move again: objects_of(to) does not contain it.
  void move_for_good(std::size_t object, std::uint32_t to);
  /// Moves objects from the node that needs more time to the other, the heaviest that fit first. Returns true if
  /// something moved; then the longer of the two times has decreased.
  bool even_out(std::uint32_t one, std::uint32_t other);
  /// The objects that are not where they began.
  object_moves moves() const;

 private:
  const load_table& table_;
  std::vector<std::uint32_t> at_;
  std::vector<heap> of_;
};

}  // namespace stretto::mobiles
