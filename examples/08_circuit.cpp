// 08_circuit.cpp - a time-stepped simulation on an irregular graph, without a global barrier.
//
// This program simulates an electrical circuit that is cut into pieces. It shows how to replace the barrier after each
// step by preconditions: a piece waits only for the pieces with which it shares wires. Fast pieces run ahead of slow
// ones. It helps readers whose data are a graph or an unstructured mesh.
//
// A piece owns nodes, and the wires that leave them; some wires end at nodes of another piece. In each step a piece (1)
// computes the currents of its wires, (2) distributes the charge, and (3) updates the voltages of its nodes. It adds
// charge to its own nodes directly. Charge for other pieces becomes a list of contributions, which their owners add.
//
// Source      the Circuit application of Treichler, Bauer, Aiken, "Realm", PACT 2014; the graph here is our own.
//
// Output
//   600 nodes, 2400 wires, 12 pieces
//   30 steps of 3 phases: 1080 tasks
//   voltages as in a serial run: yes
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

constexpr int pieces = 12, nodes_each = 50, wires_each = 200, steps = 30;
constexpr double dt = 1e-2;

struct wire {
  int from, to;
  double resistance, inductance, current;
};
struct node {
  double voltage, charge, capacitance, leakage;
};
struct contribution {
  int to;
  double charge;
};
struct circuit {
  std::vector<node> nodes;                                   // piece p owns [p * nodes_each, (p + 1) * nodes_each)
  std::vector<std::vector<wire>> wires;                      // by piece
  std::vector<std::vector<std::vector<contribution>>> sent;  // by piece, by owner
};

circuit make() {
  std::mt19937 draw(2014);
  const auto unit = [&] { return draw() / 4294967296.0; };
  circuit c{{}, std::vector<std::vector<wire>>(pieces), {}};
  for (int i = 0; i < pieces * nodes_each; ++i) c.nodes.push_back({2 * unit() - 1, 0, 1 + unit(), 0.1 * unit()});
  for (int p = 0; p < pieces; ++p)
    for (int w = 0; w < wires_each; ++w) {
      const int far = draw() % 10 ? p : (p + 1 + static_cast<int>(draw() % 2)) % pieces;  // a tenth leave the piece
      c.wires[p].push_back({static_cast<int>(p * nodes_each + draw() % nodes_each),
                            static_cast<int>(far * nodes_each + draw() % nodes_each), 1 + 9 * unit(), 0.1 + unit(), 0});
    }
  c.sent.assign(pieces, std::vector<std::vector<contribution>>(pieces));
  return c;
}

void new_currents(circuit& c, int p) {
  for (wire& w : c.wires[p])
    w.current += dt / w.inductance * (c.nodes[w.from].voltage - c.nodes[w.to].voltage - w.resistance * w.current);
}
void distribute_charge(circuit& c, int p) {
  for (const wire& w : c.wires[p]) {
    c.nodes[w.from].charge -= dt * w.current;
    if (w.to / nodes_each == p) c.nodes[w.to].charge += dt * w.current;
    else c.sent[p][w.to / nodes_each].push_back({w.to, dt * w.current});
  }
}
void update_voltages(circuit& c, int p) {
  for (int from = 0; from < pieces; ++from) {
    for (const auto& add : c.sent[from][p]) c.nodes[add.to].charge += add.charge;
    c.sent[from][p].clear();
  }
  for (int i = p * nodes_each; i < (p + 1) * nodes_each; ++i) {
    node& n = c.nodes[i];
    n.voltage = (n.voltage + n.charge / n.capacitance) * (1 - n.leakage * dt);
    n.charge = 0;
  }
}

int main() {
  circuit parallel = make(), serial = make();
  std::vector<std::set<int>> near(pieces);  // itself, and with whom it shares a wire
  for (int p = 0; p < pieces; ++p)
    for (const wire& w : parallel.wires[p]) {
      near[p].insert({p, w.to / nodes_each});
      near[w.to / nodes_each].insert(p);
    }
  std::printf("%zu nodes, %d wires, %d pieces\n", parallel.nodes.size(), pieces * wires_each, pieces);

  runtime rt;
  rt.run([&] {
    std::vector<event> updated(pieces), distributed(pieces);
    const auto all_near = [&](int p, const std::vector<event>& events) {
      std::vector<event> some;
      for (int q : near[p]) some.push_back(events[q]);
      return merge(some);
    };
    for (int step = 0; step < steps; ++step) {
      for (int p = 0; p < pieces; ++p) {
        const event currents = async(after(all_near(p, updated)), [&, p] { new_currents(parallel, p); });
        distributed[p] = async(after(currents), [&, p] { distribute_charge(parallel, p); });
      }
      for (int p = 0; p < pieces; ++p)
        updated[p] = async(after(all_near(p, distributed)), [&, p] { update_voltages(parallel, p); });
    }
  });
  std::printf("%d steps of 3 phases: %d tasks\n", steps, steps * 3 * pieces);

  for (int step = 0; step < steps; ++step) {
    for (int p = 0; p < pieces; ++p) new_currents(serial, p);
    for (int p = 0; p < pieces; ++p) distribute_charge(serial, p);
    for (int p = 0; p < pieces; ++p) update_voltages(serial, p);
  }
  bool same = true;  // to the last bit: contributions are folded in the order of the pieces
  for (std::size_t i = 0; i < serial.nodes.size(); ++i)
    same = same && serial.nodes[i].voltage == parallel.nodes[i].voltage && std::isfinite(serial.nodes[i].voltage);
  std::printf("voltages as in a serial run: %s\n", same ? "yes" : "NO");
  return same ? 0 : 1;
}
