// node_accelerators.hpp - the accelerators of this node: how many ranks they are for, and the one of each rank.
//
// Threads     of a runtime whose devices are open.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "acc/accelerator.hpp"

namespace stretto::acc {

/// How many accelerators of the kinds in the environment this node has. Throws O19.
std::size_t count_accelerators();

/// The processors of the system that are near the accelerator of a rank; empty if that is unknown.
/// Throws O19.
std::vector<unsigned> processors_near_accelerator(std::size_t position);

/// The accelerator of a rank by its position among those of the node. More ranks than accelerators share them.
///   throws   O17 if there is none, O19
std::unique_ptr<accelerator> open_accelerator(std::size_t position);

}  // namespace stretto::acc
