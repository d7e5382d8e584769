// small_work.hpp - how much a region computes, where that is known ahead of it: a short loop is not worth a task.
//
// Threads     pure.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/loop_shape.hpp"

namespace stretto::cc::acc {

/// Iterations times operations, in C, for the host ahead of the loops; empty where the body loops or calls itself.
std::string work_text(const std::vector<loop_shape>& loops);

}  // namespace stretto::cc::acc
