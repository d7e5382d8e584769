// region_launch.hpp - the call of the runtime that a region becomes: its data, its arguments, its kernel.
//
// Threads     pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

/// The data of a directive that is open where a region stands.
struct open_data {
  unsigned number;
  std::vector<data_item> items;
};

/// Whether the clauses `if` and `self` leave a region to the host, in C.
std::string is_on_host_text(const directive& d);

/// A block of C.
///
///   kernel   the name of its function
///   number   of the region's directive, for names
///   around   outermost first: parts of arrays that their clauses name lead from pointers to memory of the device
///   functions  the kernel and its tables, where they stand in the block
std::string launch_text(const std::string& kernel, const region_plan& plan, unsigned number,
                        std::span<const open_data> around, const std::string& functions = {});

}  // namespace stretto::cc::acc
