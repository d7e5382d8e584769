// kernels_parts.hpp - a kernels construct with several statements: its loops are launched one after another, inside of
// one data region.
//
// Threads     pure.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

/// The statements of a region, each loop alone and the others together. None if the region is one statement, or if its
/// block declares variables.
std::vector<statement> parts_of(const statement& region);

/// The directives of the launches and of the data region around them, made of that of the construct. Refers to both
/// arguments of the constructor.
class kernels_directives {
 public:
  /// `on_host`: the variable of the program that says whether the region runs on the host.
  kernels_directives(const placed_directive& construct, const region_plan& whole, const std::string& on_host);

  const placed_directive& launch() const noexcept { return launch_; }
  const directive& data() const noexcept { return data_; }
  /// The directives around the launches, behind those around the construct: its own clauses, and the variables that the
  /// whole region changes or moves.
  std::vector<const directive*> around() const { return {&construct_.what, &shared_}; }

 private:
  const placed_directive& construct_;
  placed_directive launch_;
  directive data_, shared_;
};

}  // namespace stretto::cc::acc
