// dist_floor.hpp - what other floors call to start and stop the distributed part of a runtime.
//
// Threads     the thread that makes and ends the runtime.
#pragma once

#include "dist/blocking_threads.hpp"
#include "dist/job_member.hpp"

namespace stretto::dist {

/// Which node a runtime tells the program that it is.
struct node_identity {
  std::uint32_t self = 0, nodes = 1;
};

/// What a runtime keeps: `of` null where it is alone.
struct dist_state {
  job_member* of = nullptr;
  node_identity identity = {};
  remote_tasks* tasks = nullptr;
  blocking_threads blocking = {};  // for parts of collective tasks
};

/// For reports: what waits here for other nodes, before the scheduler tells of its tasks; and after, which of them other nodes wait for.
void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk);
void name_remote_tasks(const base::runtime_context& runtime, base::wait_walk& walk);

/// `m` null: the runtime is alone, though the program may be told otherwise: a dry run. After the events.
void start_dist(base::runtime_context& runtime, job_member* m, node_identity alone = {});
void stop_dist(base::runtime_context& runtime) noexcept;

}  // namespace stretto::dist
