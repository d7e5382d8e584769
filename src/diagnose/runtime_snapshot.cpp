#include <fmt/format.h>

#include <memory>

#include "data/operation_waits.hpp"
#include "diagnose/merged_snapshot.hpp"
#include "diagnose/runtime_monitor.hpp"
#include "dist/dist_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "mobile/mobile_floor.hpp"
#include "ranks/process/call_reading.hpp"
#include "ranks/process/rank_waits.hpp"
#include "sched/wait_graph.hpp"

namespace stretto::diagnose {

base::wait_snapshot snapshot_of(sched::scheduler& runtime, double seconds, base::process_activity process) {
  using base::wait_kind;
  // From before the waits are found until they have been described.
  std::unique_ptr<ranks::call_reading> reading;
  if (process == base::process_activity::sleeps) reading = std::make_unique<ranks::call_reading>();
  base::wait_snapshot s;
  s.node = runtime.runtime.node;
  s.seconds = seconds;
  base::wait_walk walk(s);
  detail::add_wait_edges(runtime.runtime, walk);
  data::add_wait_edges(walk);
  dist::add_wait_edges(runtime.runtime, walk);
  mobiles::add_wait_edges(runtime.runtime, walk);
  sched::add_wait_edges(runtime, s, walk);
  dist::name_remote_tasks(runtime.runtime, walk);
  mobiles::add_handler_edges(runtime.runtime, walk);
  ranks::add_wait_edges(walk, std::move(reading));
  // Handles are the same on all nodes.
  for (const wait_kind key : {wait_kind::event, wait_kind::barrier, wait_kind::reservation})
    for (const auto& [raw, node] : walk.all(key))
      walk[node].everywhere = fmt::format("{} {:x}", base::wait_kind_names[static_cast<unsigned>(key)], raw);
  return merge_snapshots({&s, 1});  // joins a call to this node with the task that runs it
}

}  // namespace stretto::diagnose
