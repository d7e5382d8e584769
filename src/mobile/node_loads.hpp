// node_loads.hpp - a load table as balancers work on it: what each object weighs, and what each node has while objects move; of what
// is scarcest.
//
// Threads     pure values.
// Invariants  (1) load(n) is the background of node n and the weights of the objects that are there, but for rounding.
#pragma once

#include <stretto/balancer.hpp>

#include <set>
#include <utility>
#include <vector>

namespace stretto::mobiles {

/// What counts of a load: 0 where it is negative or no number.
double counted_load(double seconds) noexcept;

class node_loads {
 public:
  explicit node_loads(const load_table& t);

  std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(load_.size()); }
  double weight(std::size_t object) const noexcept { return weight_[object]; }
  double load(std::uint32_t node) const noexcept { return load_[node]; }
  double speed(std::uint32_t node) const noexcept { return speed_[node]; }
  double background(std::uint32_t node) const noexcept { return background_[node]; }
  /// Infinite where nothing is done.
  double time(std::uint32_t node) const noexcept { return time_of(load_[node], speed_[node]); }
  static double time_of(double load, double speed) noexcept;
  /// What every node would need if all were equal; 0 if nobody does anything.
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

/// The same with the objects of each node in order, and where each has come.
class placement {
 public:
  explicit placement(const load_table& t);

  node_loads loads;
  /// By weight, the lightest first; of equals, the highest position first. Objects that weigh nothing stay.
  using heap = std::set<std::pair<double, std::size_t>>;
  const heap& objects_of(std::uint32_t node) const noexcept { return of_[node]; }

  /// It may go on from there.
  void move(std::size_t object, std::uint32_t to);
  /// There it stays, and is none of objects_of(to).
  void move_for_good(std::size_t object, std::uint32_t to);
  /// Objects of the node that needs more time go to the other, the heaviest that leave it ahead first; the longer time of the two becomes
  /// less, or nothing moves. Returns whether something did.
  bool even_out(std::uint32_t one, std::uint32_t other);
  /// Those that are elsewhere now.
  object_moves moves() const;

 private:
  const load_table& table_;
  std::vector<std::uint32_t> at_;
  std::vector<heap> of_;
};

}  // namespace stretto::mobiles
