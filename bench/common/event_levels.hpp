// event_levels.hpp - levels of events over the nodes of a job: each event triggers behind some of the level before, of
// any node.
//
// There are as many events on each node and level, so that on average as many wait for an event as it waits for: its
// fan-in is its fan-out.
//
// Threads     none of its own; on each node, a thread of its runtime links its events.
// Source      event chains by fan-in and fan-out: Treichler, Bauer, Aiken, "Realm", PACT 2014, figure 5a.
#pragma once

#include <stretto/event.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include "common/measure.hpp"

namespace bench {

inline constexpr long levels = 16, tracks = 16;  // events of each node on each level

/// Links the events of node `self`: the first level behind `start`, each other event behind `fan` of the level before.
/// `of_nodes` has levels * tracks events of each node, by levels. Returns the events of the last level.
inline std::vector<stretto::event> linked_levels(const std::vector<std::vector<stretto::user_event>>& of_nodes,
                                                 std::uint32_t self, stretto::event start, long fan) {
  std::minstd_rand numbers(11 + self);
  std::uniform_int_distribution<std::size_t> any_node(0, of_nodes.size() - 1), any_track(0, tracks - 1);
  const auto& mine = of_nodes[self];
  for (long level = 0; level < levels; ++level)
    for (long track = 0; track < tracks; ++track) {
      std::vector<stretto::event> before;
      for (long i = 0; level > 0 && i < fan; ++i)
        before.push_back(
            of_nodes[any_node(numbers)][static_cast<std::size_t>((level - 1) * tracks) + any_track(numbers)]);
      if (level == 0) before.push_back(start);
      mine[static_cast<std::size_t>(level * tracks + track)].trigger(merge(before));
    }
  return {mine.end() - tracks, mine.end()};
}

/// Of a run that took so long from the start to the last level.
inline outcome per_level(double seconds, std::uint32_t nodes, long fan) {
  const auto triggers = static_cast<double>(nodes * (levels - 1) * tracks * fan);
  return {.value = seconds * 1e6 / levels, .facts = {{"Mtriggers_per_s", triggers * 1e-6 / seconds}}};
}

}  // namespace bench
