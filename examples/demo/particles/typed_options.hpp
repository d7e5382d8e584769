// typed_options.hpp - what was typed: balancers by name, and cuts of the box.
//
// Threads     pure functions.
// Errors      W36 what cannot be read.
#pragma once

#include <stretto/balancer.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "demo/particles/problem.hpp"

namespace particles {

struct choice {
  std::string name;
  stretto::balancer by;  // null: no rounds
};

/// "none,refine": each once.
std::vector<choice> read_balancers(const std::string& text);
/// "16x12"
cut read_cut(const std::string& text);
/// About so many patches for each worker, as many along both axes; fewer if they were too small.
cut cut_for(const problem& p, std::uint32_t factor, std::uint32_t workers);

}  // namespace particles
