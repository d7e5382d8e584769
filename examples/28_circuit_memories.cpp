// 28_circuit_memories.cpp - one simulation with its data in host, device or zero-copy memory.
//
// This program runs the circuit of 08_circuit as kernels, with its data in different memories. Only the places of the
// arrays change, and the kernels stay the same. It helps readers who have to choose a memory for data that host and
// device share.
//
// Nodes at which wires of several pieces end are shared, and all others are private to a piece. As in figure 7 of the
// Realm paper, there are four placements. All arrays are in host memory, in device memory, or in zero-copy memory,
// which is host memory that the device uses in place. In the fourth one only the shared nodes are in zero-copy memory.
//
// The last run uses objects, with those of the shared nodes in zero-copy memory. The host updates shared nodes, and the
// device all others. After the first step nothing is copied. Run it with STRETTO_DEVICES=opencl (or cuda); without
// that, it uses a simulated device.
//
// Source      Circuit and its placements: Treichler, Bauer, Aiken, "Realm", PACT 2014; graph and kernels are our own.
//
// Output
//   1024 nodes (<*> of them shared), 4096 wires, 20 steps
//   host memory                    as a serial run: yes
//   device memory                  as a serial run: yes
//   zero-copy memory               as a serial run: yes
//   shared nodes in zero-copy      as a serial run: yes
//   objects of host and device     as a serial run: yes
//   0 bytes were copied for them after the first step
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

constexpr int pieces = 8, nodes_each = 128, wires_each = 512, steps = 20;
constexpr int nodes = pieces * nodes_each, wires = pieces * wires_each;

// clang-format off
STRETTO_DEVICE_CONSTANT(double, dt, 1e-2)
STRETTO_DEVICE_STRUCT(wire, { int from; int to; double resistance; double inductance; })
STRETTO_DEVICE_STRUCT(node, { double capacitance; double leakage; })

// Nodes below first_private are shared. Each kind has its own voltages and charges.
STRETTO_KERNEL(new_currents, (in<wire> w, inout<double> current, in<double> shared_v, in<double> private_v, int first_private), {
  int i = global_id(0), from = w(i).from, to = w(i).to;
  double vf = from < first_private ? shared_v(from) : private_v(from);
  double vt = to < first_private ? shared_v(to) : private_v(to);
  current(i) += dt / w(i).inductance * (vf - vt - w(i).resistance * current(i));
})
STRETTO_KERNEL(distribute_charge, (in<wire> w, in<double> current, inout<double> shared_q, inout<double> private_q, int first_private), {
  int i = global_id(0), from = w(i).from, to = w(i).to;
  double q = dt * current(i);
  if (from < first_private) atomic_add(&shared_q(from), -q);
  else atomic_add(&private_q(from), -q);
  if (to < first_private) atomic_add(&shared_q(to), q);
  else atomic_add(&private_q(to), q);
})
STRETTO_KERNEL(update_voltages, (in<node> n, inout<double> v, inout<double> q), {
  int i = global_id(0);
  v(i) = (v(i) + q(i) / n(i).capacitance) * (1 - n(i).leakage * dt);
  q(i) = 0;
})
// clang-format on

struct circuit {
  int first_private = 0;
  std::vector<wire> w;
  std::vector<node> n;
  std::vector<double> voltage;
};

/// Wires by pieces; a tenth leave theirs. Nodes are numbered anew so that the shared ones come first.
circuit make() {
  std::mt19937 draw(2014);
  const auto unit = [&] { return draw() / 4294967296.0; };
  circuit c;
  std::vector<bool> shared(nodes);
  for (int p = 0; p < pieces; ++p)
    for (int i = 0; i < wires_each; ++i) {
      const int far = draw() % 40 ? p : (p + 1) % pieces;
      const int from = p * nodes_each + int(draw() % nodes_each), to = far * nodes_each + int(draw() % nodes_each);
      c.w.push_back({from, to, 1 + 9 * unit(), 0.1 + unit()});
      if (far != p) shared[std::size_t(from)] = shared[std::size_t(to)] = true;
    }
  std::vector<int> number(nodes);
  for (const bool which : {true, false})
    for (int i = 0, next = which ? 0 : c.first_private; i < nodes; ++i)
      if (shared[std::size_t(i)] == which) number[std::size_t(i)] = next++, c.first_private += which;
  for (wire& one : c.w) one.from = number[std::size_t(one.from)], one.to = number[std::size_t(one.to)];
  for (int i = 0; i < nodes; ++i) c.n.push_back({1 + unit(), 0.1 * unit()}), c.voltage.push_back(2 * unit() - 1);
  return c;
}

std::vector<double> serial(const circuit& c) {
  std::vector<double> v = c.voltage, q(nodes), current(wires);
  for (int s = 0; s < steps; ++s) {
    for (std::size_t i = 0; i < wires; ++i) {
      const wire& w = c.w[i];
      const auto from = std::size_t(w.from), to = std::size_t(w.to);
      current[i] += dt / w.inductance * (v[from] - v[to] - w.resistance * current[i]);
    }
    for (std::size_t i = 0; i < wires; ++i)
      q[std::size_t(c.w[i].from)] -= dt * current[i], q[std::size_t(c.w[i].to)] += dt * current[i];
    for (std::size_t i = 0; i < nodes; ++i)
      v[i] = (v[i] + q[i] / c.n[i].capacitance) * (1 - c.n[i].leakage * dt), q[i] = 0;
  }
  return v;
}

/// An instance in some memory with these elements, the first of which has the number `first`.
template <class T>
instance<T> put(place memory, place ram, const std::vector<T>& from, int first, int end) {
  auto here = instance<T>::create(at(ram), box(first, end)).made,
       there = instance<T>::create(at(memory), box(first, end)).made;
  wait(fill(here, T{}));
  for (int i = first; i < end; ++i) here.view()(i) = from[std::size_t(i)];
  wait(copy(here, there));
  here.destroy();
  return there;
}

struct placement {
  const char* name;
  place shared_nodes, everything_else;
};

/// The voltages after all steps.
std::vector<double> run(const circuit& c, const placement& where, place processor, place ram) {
  const int shared = c.first_private;
  const std::vector<double> zeros(wires);
  const auto w = put(where.everything_else, ram, c.w, 0, wires);
  const auto current = put(where.everything_else, ram, zeros, 0, wires);
  const instance<node> n[] = {put(where.shared_nodes, ram, c.n, 0, shared),
                              put(where.everything_else, ram, c.n, shared, nodes)};
  const instance<double> v[] = {put(where.shared_nodes, ram, c.voltage, 0, shared),
                                put(where.everything_else, ram, c.voltage, shared, nodes)};
  const instance<double> q[] = {put(where.shared_nodes, ram, zeros, 0, shared),
                                put(where.everything_else, ram, zeros, shared, nodes)};
  event updated;
  for (int s = 0; s < steps; ++s) {
    const event currents =
        launch(after(updated), on(processor), new_currents, box(0, wires), w, current, v[0], v[1], shared);
    const event charges =
        launch(after(currents), on(processor), distribute_charge, box(0, wires), w, current, q[0], q[1], shared);
    updated = merge(launch(after(charges), on(processor), update_voltages, box(0, shared), n[0], v[0], q[0]),
                    launch(after(charges), on(processor), update_voltages, box(shared, nodes), n[1], v[1], q[1]));
  }
  std::vector<double> result;
  for (const instance<double>& part : v) {
    const box all = &part == v ? box(0, shared) : box(shared, nodes);
    const auto back = instance<double>::create(at(ram), all).made;
    wait(copy(part, back, after(updated)));
    for (auto i = all.min()[0]; i < all.max()[0]; ++i) result.push_back(back.view()(i));
    back.destroy();
  }
  for (const auto* all : {v, q}) all[0].destroy(), all[1].destroy();
  n[0].destroy(), n[1].destroy(), w.destroy(), current.destroy();
  return result;
}

std::uint64_t copied_so_far(const runtime& rt) {
  std::uint64_t bytes = 0;
  for (const device_statistics& d : rt.statistics().devices) bytes += d.brought_bytes;
  return bytes;
}

/// The same with objects: shared nodes live where `device` and the host use them in place, and are the host's to
/// update.
std::vector<double> run_objects(const circuit& c, place device, place zero_copy, const runtime& rt,
                                std::uint64_t& copied) {
  const int shared = c.first_private;
  const std::vector<double> zeros(wires);
  const box all(0, wires), ours(0, shared), others(shared, nodes);
  const object<wire> w(all, c.w.data());
  const object<double> current(all, zeros.data());
  const object<node> n[] = {{ours, c.n.data(), {.memory = zero_copy}}, {others, c.n.data() + shared}};
  const object<double> v[] = {{ours, c.voltage.data(), {.memory = zero_copy}}, {others, c.voltage.data() + shared}};
  const object<double> q[] = {{ours, zeros.data(), {.memory = zero_copy}}, {others, zeros.data()}};
  for (int s = 0; s < steps; ++s) {
    launch(on(device), new_currents, all, w, current, v[0], v[1], shared);
    launch(on(device), distribute_charge, all, w, current, q[0], q[1], shared);
    launch(on(device_kind::host), update_voltages, ours, n[0], v[0], q[0]);
    const event updated = launch(on(device), update_voltages, others, n[1], v[1], q[1]);
    if (s == 0) wait(updated), copied = copied_so_far(rt);
    if (s + 1 == steps) wait(updated), copied = copied_so_far(rt) - copied;
  }
  std::vector<double> result(nodes);
  wait(v[0].copy_to(result.data())), wait(v[1].copy_to(result.data() + shared));
  return result;
}

int main() {
  runtime_options options;
  if (!std::getenv("STRETTO_DEVICES")) options.devices = "sim";
  setenv("STRETTO_DEVICE_HOST_MEMORY", "4M", 0);
  runtime rt(options);
  const platform& machine = rt.machine();
  const place ram = machine.memories().front(), device = machine.places(place_kind::gpu).front();
  const place memory = machine.at(machine.name(device) + "_memory"),
              zero_copy = machine.at(machine.name(device) + "_host_memory");
  const circuit c = make();
  const std::vector<double> expected = serial(c);
  std::printf("%d nodes (%d of them shared), %d wires, %d steps\n", nodes, c.first_private, wires, steps);

  bool all_same = true;
  rt.run([&] {
    const place cores = machine.places(place_kind::core).front();
    const auto compare = [&](const char* name, const std::vector<double>& seen) {
      double worst = 0;  // charges are added in any order
      for (std::size_t i = 0; i < nodes; ++i) worst = std::max(worst, std::abs(seen[i] - expected[i]));
      const bool same = worst < 1e-12;
      all_same = all_same && same;
      std::printf("%-30s as a serial run: %s\n", name, same ? "yes" : "NO");
    };
    for (const placement& where : {placement{"host memory", ram, ram}, placement{"device memory", memory, memory},
                                   placement{"zero-copy memory", zero_copy, zero_copy},
                                   placement{"shared nodes in zero-copy", zero_copy, memory}})
      compare(where.name, run(c, where, where.everything_else == ram ? cores : device, ram));
    std::uint64_t copied = 0;
    compare("objects of host and device", run_objects(c, device, zero_copy, rt, copied));
    std::printf("%llu bytes were copied for them after the first step\n", static_cast<unsigned long long>(copied));
  });
  return all_same ? 0 : 1;
}
