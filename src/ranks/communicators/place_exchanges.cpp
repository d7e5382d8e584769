// place_exchanges.cpp - takes the exchange that gains most for one place after another.
#include "ranks/communicators/place_exchanges.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace stretto::ranks {

namespace {

constexpr std::int64_t most_steps = 4'000'000;

/// Exchanges on one level. Locations are of one group if `group_of` gives them the same location, and may be exchanged
/// if `part_of` does.
class place_exchanges {
 public:
  using level = std::function<rank_location(rank_location)>;

  place_exchanges(const place_graph& graph, std::vector<rank_location>& at_places, level group_of, level part_of)
      : graph_(graph), at_(at_places), group_of_(std::move(group_of)), part_of_(std::move(part_of)) {
    for (int place = 0; place < graph.places(); ++place) members_[group_at(place)].push_back(place);
  }

  void run() {
    for (bool has_gained = true; has_gained && steps_ > 0;) {
      has_gained = false;
      for (int place = 0; place < graph_.places(); ++place) has_gained |= improve(place);
    }
  }

 private:
  struct partner {
    int place = 0;
    std::int64_t gain = 0;
  };

  rank_location& at(int place) { return at_[static_cast<std::size_t>(place)]; }
  rank_location group_at(int place) { return group_of_(at(place)); }

  std::int64_t weight_to(int place, rank_location group) {
    steps_ -= std::ssize(graph_.links(place));
    std::int64_t sum = 0;
    for (const auto& [other, weight] : graph_.links(place)) sum += group_at(other) == group ? weight : 0;
    return sum;
  }

  std::int64_t weight_between(int a, int b) {
    std::int64_t sum = 0;
    for (const auto& [other, weight] : graph_.links(a)) sum += other == b ? weight : 0;
    return sum;
  }

  /// Exchanges the place with the one with which that gains most, if any does. Only groups with neighbours of the place
  /// are searched: an exchange with another group that gains something, gains it by the other place.
  bool improve(int place) {
    const rank_location own = group_at(place);
    std::set<rank_location> near;
    for (const place_link& link : graph_.links(place)) {
      if (group_at(link.place) != own && part_of_(at(link.place)) == part_of_(at(place)))
        near.insert(group_at(link.place));
    }
    partner best;
    for (const rank_location& group : near) {
      const std::int64_t moved = weight_to(place, group) - weight_to(place, own);
      for (const int other : members_[group]) {
        const std::int64_t gain =
            moved + weight_to(other, own) - weight_to(other, group) - 2 * weight_between(place, other);
        if (gain > best.gain) best = {other, gain};
      }
      if (steps_ <= 0) break;
    }
    if (best.gain > 0) exchange(place, best.place);
    return best.gain > 0;
  }

  void exchange(int a, int b) {
    std::ranges::replace(members_[group_at(a)], a, b);
    std::ranges::replace(members_[group_at(b)], b, a);
    std::swap(at(a), at(b));
  }

  const place_graph& graph_;
  std::vector<rank_location>& at_;
  const level group_of_, part_of_;
  std::map<rank_location, std::vector<int>> members_;
  std::int64_t steps_ = most_steps;
};

}  // namespace

void exchange_places(const place_graph& graph, std::vector<rank_location>& at_places) {
  const auto everywhere = [](rank_location) { return rank_location{}; };
  const auto node = [](rank_location at) { return rank_location{at.node, 0}; };
  const auto worker = [](rank_location at) { return at; };
  place_exchanges(graph, at_places, node, everywhere).run();
  place_exchanges(graph, at_places, worker, node).run();
}

}  // namespace stretto::ranks
