// scheduler_lifetime.hpp - starts a scheduler with its threads and stops it.
//
// Threads     the thread that makes and destroys the runtime.
// Cost        start: one thread per worker but the first. stop: joins them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stretto/error.hpp>

#include "sched/scheduler.hpp"

namespace stretto::sched {

std::unique_ptr<scheduler> start(base::runtime_context& runtime, scheduler_paths paths,
                                 const scheduler_settings& settings);
/// Before the first attached thread may submit anything. Throws S10, S11.
void begin_substitute(scheduler& s);
/// Runs everything that can run, calls `last` as worker 0, runs what that made, and ends the threads. No thread may be
/// inside run. Waits for threads that the program has attached to detach; untriggered events that these wait for are
/// poisoned, like those that tasks wait for. The scheduler may be destroyed afterwards. Returns error S13 if failures
/// are left that the program has not observed.
///   pending   whether operations are in progress that pollers will see end, and that must end first
///   close     lets no further thread attach, if none is attached; false: one is
///   is_known  whether a failure follows from another one that is reported to the program in another way
std::optional<error> stop(scheduler& s, const std::function<void()>& last = {},
                          const std::function<bool()>& pending = {},
                          const std::function<bool(const failure&)>& is_known = {},
                          const std::function<bool()>& close = {}) noexcept;

}  // namespace stretto::sched
