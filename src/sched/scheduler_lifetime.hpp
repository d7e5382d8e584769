// start.hpp - a scheduler with its threads, from the first to the last.
//
// Threads     the one that makes and destroys the runtime.
// Cost        start: one thread per worker but the first. stop: joins them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stretto/error.hpp>

#include "sched/scheduler.hpp"

namespace stretto::sched {

std::unique_ptr<scheduler> start(base::runtime_context& runtime, scheduler_paths paths, const scheduler_settings& settings);
/// Before the first attached thread may submit anything. Throws S10, S11.
void begin_substitute(scheduler& s);
/// Lets everything that can run, run; calls `last` as worker 0 and lets run what that made; then ends the threads. No
/// thread is inside run. Threads that the program has attached may go on until they detach: this waits for them, and what they
/// wait for is forsaken like what tasks wait for. The scheduler may be destroyed afterwards. Returns
/// error S13 if failures are left that nobody has observed.
///   pending   whether operations are under way that pollers will see end, and that are to end first; before `last`
///   close     lets no further thread attach, if none is attached; false: one is
///   is_known  whether a failure comes of another one that the program is told in another way
std::optional<error> stop(scheduler& s, const std::function<void()>& last = {},
                          const std::function<bool()>& pending = {},
                          const std::function<bool(const failure&)>& is_known = {},
                          const std::function<bool()>& close = {}) noexcept;

}  // namespace stretto::sched
