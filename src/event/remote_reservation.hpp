// remote_reservation.hpp - how another node asks for a reservation that is here.
//
// Threads     any thread of the runtime.
#pragma once

#include "event/waiter.hpp"

namespace stretto {

class reservation;

namespace detail {

/// True if it is held for the asker at once, and `w` is untouched; else `w` is fired when it is, within the bound that
/// the reservation's `fairness` sets. A cause says that the reservation was destroyed. Given back by release().
bool acquire_for_node(reservation r, waiter& w, base::thread_context& context, const std::source_location& where);

}  // namespace detail
}  // namespace stretto
