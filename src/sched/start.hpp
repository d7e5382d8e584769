// start.hpp - a scheduler with its threads, from the first to the last.
//
// Threads     the one that makes and destroys the runtime.
// Cost        start: one thread per worker but the first. stop: joins them.
#pragma once

#include <memory>
#include <string>

#include "sched/scheduler.hpp"

namespace stretto::sched {

std::unique_ptr<scheduler> start(base::runtime_context& runtime, scheduler_paths paths, const scheduler_settings& settings);
/// Lets everything that can run, run; then ends the threads. No thread is inside run or attached. Returns error S13 as
/// text if failures are left that nobody has observed.
std::string stop(std::unique_ptr<scheduler> s) noexcept;

}  // namespace stretto::sched
