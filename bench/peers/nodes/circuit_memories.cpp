// circuit_memories.cpp - the circuit of examples/circuit_nodes.hpp over nodes, computed by kernels, with its data in
// several memories: time of a step.
//
//   (mixed)    shared nodes in memory of the host that the device uses in place, all else in the device's
//   host       everything in the host's memory, computed by a core
//   gpu        everything in the device's memory
//   zero_copy  everything in memory of the host that the device uses in place
//
// Shared nodes are those that wires of other pieces may touch. Each piece has copies of the voltages of its neighbours'
// shared nodes and collects charge for them, which lands in memory of the neighbour and is added there. A step has two
// phases, with a barrier of all nodes behind each.
//
// Source      Circuit and its placements: Treichler, Bauer, Aiken, "Realm", PACT 2014, figure 7; kernels after
//             examples/28_circuit_memories.cpp.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "circuit_nodes.hpp"
#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

// clang-format off
STRETTO_DEVICE_CONSTANT(double, dt_of_device, 1e-2)
STRETTO_DEVICE_STRUCT(device_wire, { int from; int to; double resistance; double inductance; })
STRETTO_DEVICE_STRUCT(device_node, { double capacitance; double leakage; })

// Nodes below first_private are shared. Each kind has its own voltages and charges.
STRETTO_KERNEL(currents_of_wires, (in<device_wire> w, inout<double> current, in<double> shared_v, in<double> private_v,
                                   int first_private), {
  int i = global_id(0);
  int from = w(i).from;
  int to = w(i).to;
  double vf = from < first_private ? shared_v(from) : private_v(from);
  double vt = to < first_private ? shared_v(to) : private_v(to);
  current(i) += dt_of_device / w(i).inductance * (vf - vt - w(i).resistance * current(i));
})
STRETTO_KERNEL(charge_of_wires, (in<device_wire> w, in<double> current, inout<double> shared_q,
                                 inout<double> private_q, int first_private), {
  int i = global_id(0);
  int from = w(i).from;
  int to = w(i).to;
  double q = dt_of_device * current(i);
  if (from < first_private) atomic_add(&shared_q(from), -q);
  else atomic_add(&private_q(from), -q);
  if (to < first_private) atomic_add(&shared_q(to), q);
  else atomic_add(&private_q(to), q);
})
STRETTO_KERNEL(voltages_of_nodes, (in<device_node> n, inout<double> v, inout<double> q), {
  int i = global_id(0);
  v(i) = (v(i) + q(i) / n(i).capacitance) * (1 - n(i).leakage * dt_of_device);
  q(i) = 0;
})
// clang-format on

namespace {

using circuit_nodes::nodes_each;
using circuit_nodes::shared_each;
using circuit_nodes::wires_each;

// A piece numbers its own shared nodes first, then those of two neighbours, then its private ones.
constexpr int most_near = 2, first_private = (1 + most_near) * shared_each,
              all_nodes = first_private + nodes_each - shared_each;
const box own_shared(0, shared_each), shared_nodes(0, first_private), private_nodes(first_private, all_nodes);
box nodes_of_neighbour(int k) { return {(1 + k) * shared_each, (2 + k) * shared_each}; }

/// Places have the same numbers on all nodes, which have the same devices.
struct placement {
  place processor, shared_memory, other_memory;
};

enum class data_in { mixed, host, gpu, zero_copy };
placement placed(data_in where) {
  const platform& machine = this_machine();
  const place ram = machine.memories().front(), device = machine.places(place_kind::gpu).front();
  const place memory = machine.places(place_kind::gpu_memory).front(),
              zero_copy = machine.places(place_kind::pinned_memory).front();
  if (where == data_in::host) return {machine.places(place_kind::core).front(), ram, ram};
  if (where == data_in::gpu) return {device, memory, memory};
  return {device, zero_copy, where == data_in::mixed ? memory : zero_copy};
}

/// The initial state of a piece.
struct content {
  int number = 0;
  std::vector<device_wire> wires;
  std::vector<device_node> nodes;
  std::vector<double> voltages;
  std::vector<int> near;
  template <class Archive>
  friend void fields(Archive& a, archived<content, Archive>& c) {
    a(c.number, c.wires, c.nodes, c.voltages, c.near);
  }
};
/// Arrays of shared nodes, then of private ones. Contributions of others are stored by the place of this piece among
/// their neighbours.
struct piece {
  int number = 0;
  std::uint32_t node = 0;
  instance<device_wire> wires;
  instance<double> current;
  std::array<instance<device_node>, 2> nodes;
  std::array<instance<double>, 2> voltage, charge;
  std::array<instance<double>, most_near> landing;
  std::vector<int> near;
  template <class Archive>
  friend void fields(Archive& a, archived<piece, Archive>& p) {
    a(p.number, p.node, p.wires, p.current, p.nodes[0], p.nodes[1], p.voltage[0], p.voltage[1], p.charge[0],
      p.charge[1], p.landing[0], p.landing[1], p.near);
  }
  void destroy() const {
    wires.destroy(), current.destroy();
    for (int k = 0; k < 2; ++k) {
      const auto i = static_cast<std::size_t>(k);
      nodes[i].destroy(), voltage[i].destroy(), charge[i].destroy(), landing[i].destroy();
    }
  }
};

/// The elements of a circuit that piece p computes, by its own numbers. Its wires touch no pieces but the next two.
content content_of(const circuit_nodes::circuit& c, int p) {
  content made{.number = p, .wires = {}, .nodes = {}, .voltages = {}, .near = {}};
  for (int k = 0; k < most_near; ++k) made.near.push_back((p + 1 + k) % c.pieces());
  const auto numbered = [&](int node) {
    const int owner = circuit_nodes::piece_of(node), i = node % nodes_each;
    if (owner == p) return i < shared_each ? i : first_private + i - shared_each;
    const auto k = static_cast<int>(std::find(made.near.begin(), made.near.end(), owner) - made.near.begin());
    return (1 + k) * shared_each + i;
  };
  for (int i = p * wires_each; i < (p + 1) * wires_each; ++i) {
    const circuit_nodes::wire& w = c.wires[static_cast<std::size_t>(i)];
    made.wires.push_back({numbered(w.from), numbered(w.to), w.resistance, w.inductance});
  }
  made.nodes.assign(all_nodes, {1, 0}), made.voltages.assign(all_nodes, 0.0);
  for (int i = p * nodes_each; i < (p + 1) * nodes_each; ++i) {
    const circuit_nodes::node& n = c.nodes[static_cast<std::size_t>(i)];
    const auto at = static_cast<std::size_t>(numbered(i));
    made.nodes[at] = {n.capacitance, n.leakage}, made.voltages[at] = n.voltage;
  }
  return made;
}

/// An instance in some memory with the elements of a box, of which `all` has that with number 0 first.
template <class T>
instance<T> put(place memory, const box& part, std::vector<T> all) {
  const auto made = instance<T>::create(at(memory), part).made;
  const auto here = instance<T>::external(all.data() + part.min()[0], part);
  wait(copy(here, made));
  here.destroy();
  return made;
}

/// On the node of the piece.
piece make_piece(const content& c, data_in where) {
  const placement places = placed(where);
  const std::vector<double> zeros(std::max(wires_each, all_nodes));
  piece p{.number = c.number,
          .node = this_node(),
          .wires = {},
          .current = {},
          .nodes = {},
          .voltage = {},
          .charge = {},
          .landing = {},
          .near = c.near};
  p.wires = put(places.other_memory, {0, wires_each}, c.wires);
  p.current = put(places.other_memory, {0, wires_each}, zeros);
  for (const bool is_private : {false, true}) {
    const place memory = is_private ? places.other_memory : places.shared_memory;
    const box part = is_private ? private_nodes : shared_nodes;
    p.nodes[is_private] = put(memory, part, c.nodes);
    p.voltage[is_private] = put(memory, part, c.voltages);
    p.charge[is_private] = put(memory, part, zeros);
  }
  for (auto& landing : p.landing) landing = put(places.shared_memory, own_shared, zeros);
  return p;
}

/// From the voltages of a step to the charge of all nodes; that of others has landed there.
event distribute(const std::vector<piece>& all, const piece& p, place processor) {
  const auto near = [&](std::size_t k) -> const piece& { return all[static_cast<std::size_t>(p.near[k])]; };
  const box wires(0, wires_each);
  std::vector<event> copied, landed;
  for (std::size_t k = 0; k < p.near.size(); ++k)
    copied.push_back(copy(near(k).voltage[0], own_shared, p.voltage[0], nodes_of_neighbour(static_cast<int>(k)).min()));
  const event known = launch(after(copied), on(processor), currents_of_wires, wires, p.wires, p.current, p.voltage[0],
                             p.voltage[1], first_private);
  const event distributed = launch(after(known), on(processor), charge_of_wires, wires, p.wires, p.current, p.charge[0],
                                   p.charge[1], first_private);
  for (std::size_t k = 0; k < p.near.size(); ++k) {
    const box part = nodes_of_neighbour(static_cast<int>(k));
    landed.push_back(copy(p.charge[0], part, near(k).landing[k], own_shared.min(), after(distributed)));
    landed.push_back(fill(p.charge[0], part, 0.0, after(landed.back())));
  }
  landed.push_back(launch(after(distributed), on(processor), voltages_of_nodes, private_nodes, p.nodes[1], p.voltage[1],
                          p.charge[1]));
  return merge(landed);
}
event update_shared(const piece& p, place processor) {
  event added;
  for (const auto& landing : p.landing) added = reduce<sum<double>>(landing, p.charge[0], own_shared, after(added));
  return launch(after(added), on(processor), voltages_of_nodes, own_shared, p.nodes[0], p.voltage[0], p.charge[0]);
}

/// On each node.
void compute(const std::vector<piece>& all, barrier phase, int steps, data_in where) {
  const place processor = placed(where).processor;
  const auto in_phase = [&](auto&& ask) {
    std::vector<event> ends;
    for (const piece& p : all)
      if (p.node == this_node()) ends.push_back(ask(p));
    wait(merge(ends));
    phase.arrive();
    wait(phase);
    phase = phase.advance();
  };
  for (int step = 0; step < steps; ++step) {
    in_phase([&](const piece& p) { return distribute(all, p, processor); });
    in_phase([&](const piece& p) { return update_shared(p, processor); });
  }
}

bench::outcome time_step(const bench::options& o, data_in where) {
  if (this_node() != 0) return {};
  const int steps = std::max(1, static_cast<int>(o.steps / 20));
  const auto c = circuit_nodes::make(static_cast<int>(o.size));
  std::vector<piece> all;
  for (int p = 0; p < c.pieces(); ++p)
    all.push_back(
        async(at_node(static_cast<std::uint32_t>(p) % job_nodes()), call<&make_piece>(content_of(c, p), where)).get());
  const auto phase = barrier::create(job_nodes());
  std::vector<event> ends;
  const bench::stopwatch clock;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    ends.push_back(async(at_node(n), call<&compute>(all, phase, steps, where)));
  wait(merge(ends));
  const double seconds = clock.seconds();
  phase.destroy();
  std::vector<double> found(c.nodes.size());
  const auto here = instance<double>::external(found.data(), {0, static_cast<coordinate>(found.size())});
  for (const piece& p : all) {
    const coordinate first = p.number * nodes_each;
    wait(merge(copy(p.voltage[0], own_shared, here, point{first}),
               copy(p.voltage[1], private_nodes, here, point{first + shared_each})));
    p.destroy();
  }
  here.destroy();
  const std::vector<double> expected = circuit_nodes::serially(c, steps);
  long differences = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) differences += !(std::abs(found[i] - expected[i]) < 1e-12);
  bench::expect("voltages unlike those of a serial run", differences, 0);
  return {.value = seconds * 1e6 / steps};
}

}  // namespace

bench::outcome time_circuit_mixed(const bench::options& o) { return time_step(o, data_in::mixed); }
bench::outcome time_circuit_on_host(const bench::options& o) { return time_step(o, data_in::host); }
bench::outcome time_circuit_on_gpu(const bench::options& o) { return time_step(o, data_in::gpu); }
bench::outcome time_circuit_in_zero_copy(const bench::options& o) { return time_step(o, data_in::zero_copy); }
