// accumulator_fold.hpp - combines the contributions of an accumulator into a replica.
//
// Threads     the thread that holds the state's mutex; the work is a launch of its own.
#pragma once

#include "objects/task.hpp"

namespace stretto::objects {

/// Combines an accumulator into a replica, in the replica's memory. An accumulator of another memory is copied there
/// first, in pieces if little memory is free. If none is free, both pass through a small host buffer that is not part
/// of the objects' memory.
event fold(object_record& o, const data::replica_set::fold& f, const preconditions& behind,
           base::thread_context& context);

}  // namespace stretto::objects
