#include "buffers/weight_exchange.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "buffers/call_signatures.hpp"
#include "buffers/launch_pipeline.hpp"

namespace stretto::buffers {
namespace {

/// Submits the tasks that exchange the items and seconds of each node.
void exchange_loads(buffers_state& s, const std::source_location& where) {
  if (!s.load_exchange)
    s.load_exchange = buffer<double>(box(0, 2 * coordinate{s.commands.nodes()}), {.name = "weights"}, where);
  s.node_loads = std::make_shared<std::vector<graph::measured_load>>();
  const std::size_t processors = s.instructions.shape().devices.size() + 1;
  const buffer<double> loads = s.load_exchange;
  host_task(
      name("weights"), after(s.weights.window()->ends(where)), detail::host_task_range(on_each_node, where),
      [window = s.weights.window(), self = coordinate{s.commands.self()}, processors](view<double> all) {
        const graph::measured_load mine = together(window->loads(processors));
        all(2 * self) = mine.items;
        all(2 * self + 1) = mine.seconds;
      },
      loads.reduce<sum<double>>().from_identity());
  const event seen = host_task(
      name("weights"), detail::host_task_range(on_each_node, where),
      [agreed = s.node_loads, nodes = s.commands.nodes()](view<const double> all) {
        for (coordinate n = 0; n < nodes; ++n) agreed->push_back({all(2 * n), all(2 * n + 1)});
      },
      loads.in(all));
  s.loads_ready = ignore_failure(seen, where);
}

void check_weights(std::span<const double> weights, const char* of, std::initializer_list<std::size_t> numbers,
                   const std::source_location& where) {
  if (weights.empty()) return;
  const std::size_t most = *(numbers.end() - 1);
  if (std::ranges::find(numbers, weights.size()) == numbers.end())
    throw error("B22", "set_weights was given " + std::to_string(weights.size()) +
                           (weights.size() == 1 ? " weight" : " weights") + " of " + of +
                           (most == 0 ? ", and there are none" : ", and there are " + std::to_string(*numbers.begin())))
        .fact("submitted", where)
        .remedy(most == 0 ? "leave their weights out" : "give one for each of them, or none");
  for (const double w : weights)
    if (!(std::isfinite(w) && w > 0))
      throw error("B22", "set_weights was given a weight of " + std::string(of) + " that is not above 0")
          .fact("submitted", where)
          .because("every node and every device runs a part of each launch that is long enough")
          .remedy("give a small weight: a millionth of the largest is the least that counts");
}

}  // namespace

void balance_node_weights(buffers_state& s, const std::source_location& where) {
  using request = weight_measurement::request;
  switch (s.weights.pending_request()) {
    case request::nothing: return;
    case request::exchange:
      s.weights.exchanged();  // before the tasks: their submission calls this function again
      return exchange_loads(s, where);
    case request::apply: {
      wait(s.loads_ready, where);  // has triggered long ago
      const std::vector<double> now = s.commands.weights().shares();
      const graph::chunk_weights weights(graph::balanced_weights(now, *s.node_loads));
      const drained_submission_lock held(s, where);
      s.weights.applied(!weights.are_none());
      if (weights.are_none()) return;
      s.commands.set_weights(weights);
      s.instructions.forget_plans();
      s.invalidate_checks();
    }
  }
}

}  // namespace stretto::buffers

namespace stretto {

void set_weights(const weight_settings& settings, std::source_location where) {
  base::thread_context& context = base::require_current("set_weights");
  buffers::buffers_state& s = *buffers::state_of(*context.runtime);
  const std::size_t devices = s.instructions.shape().devices.size();
  buffers::check_weights(settings.nodes, "nodes", {s.commands.nodes()}, where);
  if (devices == 0) buffers::check_weights(settings.devices, "devices", {0}, where);
  else buffers::check_weights(settings.devices, "devices", {devices, devices + 1}, where);
  const graph::chunk_weights of_nodes(settings.nodes), of_devices(settings.devices);
  const buffers::drained_submission_lock held(s, where);
  if (s.guard) {  // weights of devices are local to a node
    buffers::buffer_call c{.what = buffers::buffer_call::verb::set_weights, .numbers = settings.nodes};
    record_call(s, std::make_shared<const buffers::call_signature>(std::move(c)), where, false);
  }
  s.commands.set_weights(of_nodes);
  s.instructions.forget_plans();
  s.instructions.set_weights(of_devices);
  s.invalidate_checks();
  if (s.dry) s.dry->set_weights(of_nodes, of_devices);
  s.weights.begin(
      {.devices = s.measures.devices && settings.devices.empty(), .nodes = s.measures.nodes && settings.nodes.empty()});
}

}  // namespace stretto
