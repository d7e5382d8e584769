// default_paths.hpp - default paths of workers: up the memory hierarchy, then the nearest places first.
//
// Threads     pure.
// Cost        climb: O(path x links of its places); nearest_first: O(places + links) per home.
// Source      pop paths that climb the hierarchy: HiPER/hclib's locality graphs, where they are written by hand.
#pragma once

#include <stretto/place.hpp>

#include <vector>

#include "platform/graph.hpp"

namespace stretto::places {

/// The places that workers are spread over in turn: the cores; without cores the places of the innermost kind of
/// cache, else of memory; without any of these, all places.
std::vector<place> default_homes(const platform_description& description);

/// From `home` outwards: at each step the linked place of the next kind out, of the lowest index among equals.
///
///     core_5  ->  core_5 L2_5 L3_0 numa_0 sysmem
std::vector<place> climb(const platform_description& description, const adjacency& adjacent, place home);

/// Every place of the host that links join to `home`, by number of links, then from cores outwards. Equally near
/// places of one kind come in ring order from home's own share of them, so that workers do not all ask the same
/// victim first: of four cores around one cache, core_2 asks core_3, core_0, core_1. Links between places of one
/// kind are routes for data (NUMA node to NUMA node) and say nothing of the hierarchy: what only they lead to comes
/// last.
std::vector<place> nearest_first(const platform_description& description, const adjacency& adjacent, place home);

/// The paths of all workers by these two rules.
std::vector<std::vector<place>> climbing_paths(const platform_description& description, std::uint32_t workers);
std::vector<std::vector<place>> nearest_paths(const platform_description& description, std::uint32_t workers);

}  // namespace stretto::places
