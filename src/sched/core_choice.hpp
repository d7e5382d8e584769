// core_choice.hpp - chooses the cores of a lease.
#pragma once

#include <sched.h>

#include <span>

namespace stretto::sched {

/// At most `count` of the cores in `allowed`: first those of the lease's workers, then those that no other worker uses.
/// Fewer if fewer are allowed. Cores that are not known have negative numbers.
cpu_set_t choose_cores(unsigned count, const cpu_set_t& allowed, std::span<const int> of_lease,
                       std::span<const int> of_others) noexcept;

}  // namespace stretto::sched
