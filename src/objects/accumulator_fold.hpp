// folding.hpp - what was contributed in one storage comes into a replica.
//
// Threads     whoever holds the state's mutex; the work is a launch of its own.
#pragma once

#include "objects/task.hpp"

namespace stretto::objects {

/// Combines an accumulator into a replica, in the replica's memory; one from elsewhere is copied there first, in pieces where
/// there is little room. Where there is none at all, both pass through a little memory of the host's that objects do not use.
event fold(object_record& o, const data::replica_set::fold& f, const preconditions& behind, base::thread_context& context);

}  // namespace stretto::objects
