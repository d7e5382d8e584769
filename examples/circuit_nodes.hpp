// circuit_nodes.hpp - an electrical circuit in pieces that lie on several nodes, ordered by events alone.
//
// In each step every piece (1) gets the voltages that its wires touch in other pieces, (2) computes the currents of its
// wires, (3) distributes the charge: into its own nodes, and into others by reductions that are applied where those
// are, and (4) updates its voltages. One node says all of it at once, or it waits before each operation for what that
// has to follow (./stretto bench nodes_circuit).
//
// Source      the Circuit application of Treichler, Bauer, Aiken, "Realm", PACT 2014; graph and code are our own.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "both_ways.hpp"

namespace circuit_nodes {

using namespace stretto;

constexpr int nodes_each = 100, shared_each = 20,
              wires_each = 400;  // of a piece; the first are those that others touch
constexpr double dt = 1e-2;

struct wire {
  int from, to;
  double resistance, inductance, current;
};
struct node {
  double voltage, charge, capacitance, leakage;
};
struct circuit {
  std::vector<node> nodes;  // piece p has [p * nodes_each, (p + 1) * nodes_each)
  std::vector<wire> wires;  // by pieces, too
  int pieces() const { return static_cast<int>(nodes.size()) / nodes_each; }
};
inline int piece_of(int number) { return number / nodes_each; }
inline box nodes_of(int p) { return {p * nodes_each, (p + 1) * nodes_each}; }
inline box shared_of(int p) { return {p * nodes_each, p * nodes_each + shared_each}; }

/// A tenth of the wires leave their piece.
inline circuit make(int pieces) {
  std::mt19937 draw(2014);
  const auto unit = [&] { return draw() / 4294967296.0; };
  circuit c;
  for (int i = 0; i < pieces * nodes_each; ++i) c.nodes.push_back({2 * unit() - 1, 0, 1 + unit(), 0.1 * unit()});
  for (int p = 0; p < pieces; ++p)
    for (int w = 0; w < wires_each; ++w) {
      const int far = draw() % 10 ? p : (p + 1 + static_cast<int>(draw() % 2)) % pieces;
      const int from = p * nodes_each + static_cast<int>(draw() % nodes_each);
      const int to = far * nodes_each + static_cast<int>(draw() % (far == p ? nodes_each : shared_each));
      c.wires.push_back({from, to, 1 + 9 * unit(), 0.1 + unit(), 0});
    }
  return c;
}

// What is computed, here and in the serial run.
inline void charge_of(wire& w, double from, double to) {
  w.current += dt / w.inductance * (from - to - w.resistance * w.current);
}
inline void update(node& n) {
  n.voltage = (n.voltage + n.charge / n.capacitance) * (1 - n.leakage * dt);
  n.charge = 0;
}

/// What a piece has of another one that its wires touch.
struct neighbour {
  int piece = 0;
  instance<double> voltage;
  reduction_instance<sum<double>> charge;
};
struct piece {
  int number = 0;
  std::uint32_t node = 0;
  instance<wire> wires;
  instance<circuit_nodes::node> nodes;
  instance<double> voltage, charge;  // of its nodes, which others copy and reduce into
  std::vector<neighbour> near;

  template <class Archive>
  friend void fields(Archive& a, archived<piece, Archive>& p) {
    a(p.number, p.node, p.wires, p.nodes, p.voltage, p.charge, p.near);
  }
};

// Tasks of a piece, on its node.
inline void start(const piece& p, const std::vector<wire>& wires, const std::vector<node>& nodes) {
  const auto w = p.wires.view();
  for (std::size_t i = 0; i < wires.size(); ++i) w(i) = wires[i];
  const auto n = p.nodes.view();
  const auto v = p.voltage.view(), q = p.charge.view();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const coordinate at = p.number * nodes_each + static_cast<coordinate>(i);
    n(at) = nodes[i];
    v(at) = nodes[i].voltage;
    q(at) = 0;
  }
}
inline void new_currents(const piece& p) {
  const auto w = p.wires.view();
  const auto own = p.voltage.view();
  std::vector<view<double>> far;
  for (const neighbour& n : p.near) far.push_back(n.voltage.view());
  for (std::uint64_t i = 0; i < w.size(); ++i) {
    const int of = piece_of(w(i).to);
    std::size_t k = 0;
    while (of != p.number && p.near[k].piece != of) ++k;
    charge_of(w(i), own(w(i).from), of == p.number ? own(w(i).to) : far[k](w(i).to));
  }
}
inline void distribute_charge(const piece& p) {
  const auto w = p.wires.view();
  const auto own = p.charge.view();
  std::vector<contributor<sum<double>, 1>> far;
  for (const neighbour& n : p.near) far.push_back(n.charge.contribute());
  for (std::uint64_t i = 0; i < w.size(); ++i) {
    const double q = dt * w(i).current;
    own(w(i).from) -= q;
    const int of = piece_of(w(i).to);
    std::size_t k = 0;
    while (of != p.number && p.near[k].piece != of) ++k;
    if (of == p.number) own(w(i).to) += q;
    else far[k](w(i).to) << q;
  }
}
inline void update_voltages(const piece& p) {
  const auto n = p.nodes.view();
  const auto v = p.voltage.view(), q = p.charge.view();
  for (coordinate i = n.min(0); i < n.max(0); ++i) {
    n(i).charge = q(i);
    update(n(i));
    v(i) = n(i).voltage;
    q(i) = 0;
  }
}

/// The pieces, one after the other on all nodes; `updated` says of each when its first voltages are there.
inline std::vector<piece> make_pieces(const circuit& c, std::vector<event>& updated) {
  const int pieces = c.pieces();
  std::vector<piece> all(static_cast<std::size_t>(pieces));
  for (int p = 0; p < pieces; ++p) {
    piece& one = all[static_cast<std::size_t>(p)];
    one.number = p;
    one.node = static_cast<std::uint32_t>(p) % job_nodes();
    const at_node there(one.node);
    const std::vector<wire> wires(c.wires.begin() + p * wires_each, c.wires.begin() + (p + 1) * wires_each);
    const std::vector<node> nodes(c.nodes.begin() + p * nodes_each, c.nodes.begin() + (p + 1) * nodes_each);
    one.wires = instance<wire>::create(there, {0, wires_each}).made;
    one.nodes = instance<node>::create(there, nodes_of(p)).made;
    one.voltage = instance<double>::create(there, nodes_of(p)).made;
    one.charge = instance<double>::create(there, nodes_of(p)).made;
    for (int q = 0; q < pieces; ++q)
      for (const wire& w : wires)
        if (q != p && piece_of(w.to) == q) {
          one.near.push_back(
              {q, instance<double>::create(there, shared_of(q)).made,
               reduction_instance<sum<double>>::create(there, shared_of(q), {.style = reduction_style::fold})});
          break;
        }
    updated.push_back(async(there, call<&start>(one, wires, nodes)));
  }
  return all;
}

/// The voltages of all pieces once they are `updated`. A piece is destroyed once it is unused, too.
inline std::vector<double> collect(const std::vector<piece>& all, const std::vector<event>& updated,
                                   const std::vector<event>& unused) {
  std::vector<double> voltages(all.size() * nodes_each);
  const auto here = instance<double>::external(voltages.data(), {0, static_cast<coordinate>(voltages.size())});
  std::vector<event> last;
  for (std::size_t p = 0; p < all.size(); ++p)
    last.push_back(copy(all[p].voltage, here, nodes_of(all[p].number), after(updated[p])));
  wait(merge(last));
  here.destroy();
  for (std::size_t p = 0; p < all.size(); ++p) {
    const piece& one = all[p];
    const event over = merge(updated[p], unused[p]);
    one.wires.destroy(after(over)), one.nodes.destroy(after(over));
    one.voltage.destroy(after(over)), one.charge.destroy(after(over));
    for (const neighbour& n : one.near) n.voltage.destroy(after(over)), n.charge.destroy(after(over));
  }
  return voltages;
}

/// The voltages after all steps.
inline std::vector<double> on_nodes(const circuit& c, int steps, bool waits) {
  std::vector<event> updated;
  const std::vector<piece> all = make_pieces(c, updated);
  std::vector<event> computed(all.size()), distributed(all.size());
  std::vector<std::vector<event>> cleared;  // of each neighbour
  for (const piece& one : all) cleared.emplace_back(one.near.size());
  order in{waits};
  for (int step = 0; step < steps; ++step) {
    std::vector<std::vector<event>> read(all.size());  // who uses the voltages of this step
    for (std::size_t p = 0; p < all.size(); ++p) {
      std::vector<event> here = {updated[p]};
      for (const neighbour& n : all[p].near) {
        const auto q = static_cast<std::size_t>(n.piece);
        here.push_back(copy(all[q].voltage, n.voltage, shared_of(n.piece), in.after_all({updated[q], computed[p]})));
        read[q].push_back(here.back());
      }
      computed[p] = async(at_node(all[p].node), in.after_all(here), call<&new_currents>(all[p]));
      read[p].push_back(computed[p]);
    }
    std::vector<event> reduced(all.size());  // one after the other, in the order of the pieces
    for (std::size_t p = 0; p < all.size(); ++p) {
      std::vector<event> first = cleared[p];
      first.push_back(computed[p]);
      distributed[p] = reduced[p] = async(at_node(all[p].node), in.after_all(first), call<&distribute_charge>(all[p]));
    }
    for (std::size_t p = 0; p < all.size(); ++p)
      for (std::size_t k = 0; k < all[p].near.size(); ++k) {
        const neighbour& n = all[p].near[k];
        const auto q = static_cast<std::size_t>(n.piece);
        reduced[q] = reduce(n.charge, all[q].charge, in.after_all({distributed[p], reduced[q]}));
        cleared[p][k] = clear(n.charge, in.after_all({reduced[q]}));
      }
    for (std::size_t p = 0; p < all.size(); ++p) {
      read[p].push_back(reduced[p]);
      updated[p] = async(at_node(all[p].node), in.after_all(read[p]), call<&update_voltages>(all[p]));
    }
  }
  std::vector<event> unused;
  for (const auto& of_piece : cleared) unused.push_back(merge(of_piece));
  return collect(all, updated, unused);
}

inline std::vector<double> serially(circuit c, int steps) {
  const int pieces = c.pieces();
  for (int step = 0; step < steps; ++step) {
    for (wire& w : c.wires)
      charge_of(w, c.nodes[static_cast<std::size_t>(w.from)].voltage, c.nodes[static_cast<std::size_t>(w.to)].voltage);
    std::vector<std::vector<double>> sent(static_cast<std::size_t>(pieces),
                                          std::vector<double>(c.nodes.size()));  // into others
    for (std::size_t i = 0; i < c.wires.size(); ++i) {
      const wire& w = c.wires[i];
      const double q = dt * w.current;
      const auto to = static_cast<std::size_t>(w.to);
      c.nodes[static_cast<std::size_t>(w.from)].charge -= q;
      (piece_of(w.to) == piece_of(w.from) ? c.nodes[to].charge
                                          : sent[static_cast<std::size_t>(piece_of(w.from))][to]) += q;
    }
    for (const auto& from : sent)
      for (std::size_t i = 0; i < from.size(); ++i) c.nodes[i].charge += from[i];
    for (node& n : c.nodes) update(n);
  }
  std::vector<double> voltages;
  for (const node& n : c.nodes) voltages.push_back(n.voltage);
  return voltages;
}

}  // namespace circuit_nodes
