// lent_copy.hpp - elements of an array of this node that was lent to it, copied to where they are wanted.
//
// Threads     any of the runtime.
#pragma once

#include "data/attachments.hpp"

namespace stretto::data {

/// Copies those elements there once they are lent; `shift`: from a coordinate there to that of the array. What is lent goes back when
/// they are there. Throws G06 if nobody holds that number.
event copy_exported(const attachments& all, std::uint64_t number, const box& part, const point& shift, destination to,
                const std::source_location& where, base::thread_context& context);

}  // namespace stretto::data
