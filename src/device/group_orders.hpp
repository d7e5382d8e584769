// group_orders.hpp - a checked run of groups in several orders of their items: what differs tells that a region should be two.
//
// Threads     the caller's; others may use what the launch does not write meanwhile, of its arrays too.
// Cost        four runs, and three copies of all arrays that it writes.
// Source      orders in place of fibers or a detector of races: whatever a group does, items of a region run one by one.
#pragma once

#include <source_location>

#include "device/host_work.hpp"

namespace stretto::device {

/// Whether a checked run of the kernel looks at orders: of groups, unless another order may be right and give other results, as with
/// contributions and atomics, which take turns as they come. Of code that the program brought, nothing is known.   throws K11
bool is_run_in_orders(const kernel_code& code);

/// Computes all groups of the launch, item by item: forward, backward and shuffled on copies of what it writes, for comparison, and
/// then where it was told to. `where` may be null.
///   throws   K01 and K02 as any checked run; K03 with the first element that differs
void run_in_orders(const kernel_code& code, const host_arguments& given, const launch_range& whole, group_memory& memory,
                   const std::source_location* where);

}  // namespace stretto::device
