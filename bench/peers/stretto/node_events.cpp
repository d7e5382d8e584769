// node_events.cpp - Stretto: levels of events of eight nodes, on a simulated network with virtual time: the time of a
// level by the fan-in and fan-out of its events. The same over processes: ./stretto bench nodes_fan_levels.
#include <array>
#include <vector>

#include "common/event_levels.hpp"
#include "peers/stretto/benchmarks.hpp"
#include "peers/stretto/stepped_job.hpp"

using namespace stretto;

bench::outcome time_levels_of_nodes(const bench::options& o) {
  stepped_job job;
  std::vector<std::vector<user_event>> of_nodes(stepped_job::nodes);
  job.on_each([&](std::uint32_t n) {
    for (long i = 0; i < bench::levels * bench::tracks; ++i) of_nodes[n].push_back(user_event::create());
  });
  user_event start;
  job.on_each([&](std::uint32_t n) {
    if (n == 0) start = user_event::create();
  });
  std::array<event, stepped_job::nodes> ends;
  job.on_each([&](std::uint32_t n) { ends[n] = merge(bench::linked_levels(of_nodes, n, start, o.size)); });
  job.settle();  // every node knows who waits for its events
  const double since = job.seconds();
  job.on_each([&](std::uint32_t n) {
    if (n == 0) start.trigger();
  });
  job.step_until([&](runtime& rt) {
    const attached_thread here(rt);
    return ends[this_node()].has_triggered();
  });
  return bench::per_level(job.seconds() - since, stepped_job::nodes, o.size);
}
