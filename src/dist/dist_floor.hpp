// dist_floor.hpp - what other floors call to start and stop the distributed part of a runtime.
//
// Threads     the thread that makes and ends the runtime.
#pragma once

#include "dist/member.hpp"

namespace stretto::dist {

/// What a runtime keeps: `of` null where it is alone.
struct dist_state {
  member* of = nullptr;
  remote_tasks* tasks = nullptr;
};

/// For reports: what waits here for other nodes, before the scheduler tells of its tasks; and after, which of them other nodes wait for.
void tell_waits(const base::runtime_context& runtime, base::wait_walk& walk);
void tell_tasks(const base::runtime_context& runtime, base::wait_walk& walk);

/// `m` null: the runtime is alone. After the events.
void start_dist(base::runtime_context& runtime, member* m);
void stop_dist(base::runtime_context& runtime) noexcept;

}  // namespace stretto::dist
