// place_takers.hpp - which workers take tasks from the queues of which places, as their pop and steal paths say.
//
// Threads     immutable.
// Cost        all_take_all, takes: one or two loads. Memory: a byte for each worker and place, none where every worker steals at every
//             place, as with default paths.
// Source      pop and steal paths: HiPER. A worker pops its own tasks at the places of its pop path and steals those of others at the
//             places of its steal path, where it also finds its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stretto::sched {

class place_takers {
 public:
  using path = std::vector<std::uint16_t>;
  place_takers(std::uint32_t places, std::span<const path> pop, std::span<const path> steal);

  /// Whoever is woken finds whatever is ready, wherever it was put: each worker's steal path visits every place that is on any path.
  bool all_take_all() const noexcept { return flags_.empty(); }

  // The rest only where not all take all.
  /// The worker finds what other threads put at the place, and its own queue there.
  bool takes(std::uint32_t worker, std::uint32_t place) const noexcept { return flags_of(worker, place) != 0; }
  /// What this worker makes ready at the place may go to its own queue there: it finds it itself, or everybody who serves the place
  /// does by stealing.
  bool may_use_own_queue(std::uint32_t worker, std::uint32_t place) const noexcept {
    return takes(worker, place) || places_[place].only_pop == 0;
  }
  /// A worker other than this one serves the place, and does not steal there.
  bool others_only_pop(std::uint32_t worker, std::uint32_t place) const noexcept {
    return places_[place].only_pop > (flags_of(worker, place) == pops ? 1u : 0u);
  }
  /// All workers that take from the place, ascending.
  std::span<const std::uint16_t> of(std::uint32_t place) const noexcept { return places_[place].workers; }
  /// Every worker steals there.
  bool all_steal(std::uint32_t place) const noexcept { return places_[place].stealing == workers_; }

 private:
  static constexpr std::uint8_t pops = 1, steals = 2;
  struct at_place {
    std::vector<std::uint16_t> workers;
    std::uint32_t stealing = 0, only_pop = 0;
  };
  std::uint8_t flags_of(std::uint32_t worker, std::uint32_t place) const noexcept {
    return flags_[std::size_t{worker} * places_.size() + place];
  }

  std::uint32_t workers_;
  std::vector<std::uint8_t> flags_;  // by worker and place
  std::vector<at_place> places_;
};

}  // namespace stretto::sched
