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

/// The places to which workers are assigned round-robin: the cores; without cores the places of the innermost kind of
/// cache, else of memory; without any of these, all places.
std::vector<place> default_homes(const platform_description& description);

/// The path from `home` outwards: at each step the linked place of the next outer kind, the lowest index among equals.
///
///     core_5  ->  core_5 L2_5 L3_0 numa_0 sysmem
std::vector<place> climb(const platform_description& description, const adjacency& adjacent, place home);

/// All places of the host that links connect with `home`: by number of links, then from cores outwards. Equally near
/// places of one kind are rotated by a different amount for each home, so that workers do not all steal from the same
/// place first: of four cores around one cache, core_2 visits core_3, core_0, core_1. Links between places of one kind
/// (NUMA node to NUMA node) are routes for data and no part of the hierarchy. Places that only they lead to come last.
std::vector<place> nearest_first(const platform_description& description, const adjacency& adjacent, place home);

/// The paths of all workers by these two rules.
std::vector<std::vector<place>> climbing_paths(const platform_description& description, std::uint32_t workers);
std::vector<std::vector<place>> nearest_paths(const platform_description& description, std::uint32_t workers);

}  // namespace stretto::places
