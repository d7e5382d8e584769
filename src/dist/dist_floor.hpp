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

/// `m` null: the runtime is alone. After the events.
void start_dist(base::runtime_context& runtime, member* m);
void stop_dist(base::runtime_context& runtime) noexcept;

}  // namespace stretto::dist
