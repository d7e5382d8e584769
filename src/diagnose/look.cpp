#include <fmt/format.h>

#include "data/telling.hpp"
#include "diagnose/merging.hpp"
#include "diagnose/watcher.hpp"
#include "dist/dist_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "mobile/mobile_floor.hpp"
#include "sched/wait_graph.hpp"

namespace stretto::diagnose {

base::wait_snapshot look_at(sched::scheduler& runtime, double seconds) {
  using base::wait_kind;
  base::wait_snapshot s;
  s.node = runtime.runtime.node;
  s.seconds = seconds;
  base::wait_walk walk(s);
  detail::add_wait_edges(runtime.runtime, walk);
  data::tell_waits(walk);
  dist::tell_waits(runtime.runtime, walk);
  mobiles::tell_waits(runtime.runtime, walk);
  sched::add_wait_edges(runtime, s, walk);
  dist::tell_tasks(runtime.runtime, walk);
  mobiles::tell_handlers(runtime.runtime, walk);
  // Handles are the same on all nodes.
  for (const wait_kind key : {wait_kind::event, wait_kind::barrier, wait_kind::reservation})
    for (const auto& [raw, node] : walk.all(key))
      walk[node].everywhere = fmt::format("{} {:x}", base::wait_kind_names[static_cast<unsigned>(key)], raw);
  return merged({&s, 1});  // what waits here for what runs here, asked for as if it were elsewhere
}

}  // namespace stretto::diagnose
