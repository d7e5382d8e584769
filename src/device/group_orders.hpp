// group_orders.hpp - a checked run of groups in several orders of their items: what differs tells that a region should be two.
//
// Threads     the caller's; nobody else touches what the launch writes meanwhile.
// Cost        three runs, and two copies of all that it writes.
// Source      orders in place of fibers or a detector of races: whatever a group does, items of a region run one by one.
#pragma once

#include <source_location>
#include <span>

#include "device/host_work.hpp"

namespace stretto::device {

/// Whether another order may be right and give other results: contributions and atomics take turns as they come. Of code that the
/// program brought, nothing is known.   throws K11
bool may_depend_on_order(const kernel_code& code);

/// Computes all groups of the launch, item by item: forward, and before that backward and shuffled, for comparison.
///   throws   K01 and K02 as any checked run; K03 with the first element that differs
void run_in_orders(const kernel_code& code, std::span<const launch_argument> given, const launch_range& whole, group_memory& memory,
                   const std::source_location& where);

}  // namespace stretto::device
