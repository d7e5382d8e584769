// dist_floor.hpp - starts and stops the distributed part of a runtime, for the floors above.
//
// Threads     the thread that makes and ends the runtime.
#pragma once

#include "dist/blocking_threads.hpp"
#include "dist/job_member.hpp"

namespace stretto::dist {

/// The node index and job size that this_node() and job_nodes() report.
struct node_identity {
  std::uint32_t self = 0, nodes = 1;
};

/// The distributed state of a runtime. `of` is null if the runtime is not part of a job.
struct dist_state {
  job_member* of = nullptr;
  node_identity identity = {};
  remote_tasks* tasks = nullptr;
  blocking_threads blocking = {};  // runs collective host tasks
};

/// For hang reports. add_wait_edges adds what waits here for other nodes; call it before the scheduler adds its tasks.
/// name_remote_tasks names the tasks that other nodes wait for; call it afterwards.
void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk);
void name_remote_tasks(const base::runtime_context& runtime, base::wait_walk& walk);

/// Must be called after the event floor has started. If `m` is null, the runtime is not part of a job; in a dry run,
/// `alone` still reports the node and job size that the dry run simulates.
void start_dist(base::runtime_context& runtime, job_member* m, node_identity alone = {});
void stop_dist(base::runtime_context& runtime) noexcept;

}  // namespace stretto::dist
