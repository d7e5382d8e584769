// queue_task.hpp - tasks of queues: they run near the worker of the rank that starts them.
//
// Threads     tasks of a rank; of other tasks of the runtime, too, without a preference.
// Cost        a task. Without a preference all operations of several ranks' queues gather on one worker, since each is
//             made ready by the one before it, or by another rank's message.
#pragma once

#include <stretto/event.hpp>

#include <functional>
#include <span>

namespace stretto::acc {

/// Runs `work` behind events, and returns its end.
event start_queue_task(std::span<const event> behind, std::function<void()> work);

}  // namespace stretto::acc
