// balancer.hpp - which objects should go where: a table of loads in, a list of moves out. Ready ones, and your own.
//
//     load_table t = ...;                                  // balance() makes it of what was measured (balancing.hpp)
//     object_moves m = balancers::refine{.tolerance = 1.1}(t);
//     imbalance(t), imbalance(moved(t, m));                // 1 is best
//
// A balancer is any function of that signature. It decides and does nothing:
//
//     object_moves all_to_the_first(const load_table& t) {
//       object_moves m;
//       for (std::size_t i = 0; i < t.objects.size(); ++i) m.push_back({.object = i, .to = 0});
//       return m;
//     }
//
// Threads     pure functions.
// Invariants  of those that are here: (1) the same table gives the same moves, on every node. (2) the largest time of a node is never
//             larger afterwards. (3) each object moves at most once, to a node of a speed above 0; one without load stays.
// Source      each says its own.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// What a round of balancing knows. Loads that are negative or no number count as 0.
struct load_table {
  struct object {
    std::uint64_t id = 0;    // its index in the collection; where all objects are balanced, a number of its own
    std::uint32_t node = 0;  // where it is
    double seconds = 0;      // its load: what its handlers took since the last round
    double hint = 1;         // what it says of itself, in any unit (load_hint(), balancing.hpp)
    std::uint64_t bytes = 0;  // of a move, about
    double device_seconds = 0;  // what devices computed that its handlers launched on object<T>s
  };
  struct node {
    double speed = 1;       // load that it does in a second, to others: its workers. 0: it takes nothing
    double background = 0;  // load that stays there, in seconds
    double devices = 0;     // the same of devices: how many it has
    double device_background = 0;
  };
  std::vector<object> objects = {};  // in the order of their ids
  std::vector<node> nodes = {};      // by number; one that is lost has the speed 0
};

/// `object` is a position in load_table::objects.
struct object_move {
  std::size_t object = 0;
  std::uint32_t to = 0;
  friend bool operator==(const object_move&, const object_move&) = default;
};
using object_moves = std::vector<object_move>;
using balancer = std::function<object_moves(const load_table&)>;

/// What the nodes have too little of, by the whole table: devices, where sum(device_seconds) / sum(devices) is more than the same of
/// workers. The balancers that are here, and imbalance(), go by its load and speed alone; a node of speed 0 takes nothing all the same.
enum class scarce : std::uint8_t { workers, devices };
scarce scarcest(const load_table& t);

/// The time of the slowest node to what it would be if all were equal: max(load / speed) to sum(load) / sum(speed), of what is scarcest.
/// 1 where there is no load; infinite where a node of speed 0 has some.
///
///     two nodes of speed 1 with 3 and 1 seconds  ->  1.5
double imbalance(const load_table& t);

/// The table after these moves.
///
///   throws   G05 if a move names an object or a node that is not in the table, or an object twice
load_table moved(const load_table& t, const object_moves& moves);

namespace balancers {

/// Nothing moves: to measure, and to compare.
struct none {
  object_moves operator()(const load_table& t) const;
};

/// The heaviest object first, each to the node that would be done with it first, wherever it was: the best balance, with many moves.
///
///   returns  on m nodes of one speed: no node has more than mean + (1 - 1/m) * heaviest object, or than its background; the time is at
///            most 4/3 - 1/(3m) of the best possible without background
///   cost     O(objects * (log objects + log nodes)), times the number of unlike speeds
///   Source   longest processing time first: Graham, "Bounds on multiprocessing timing anomalies", 1969. GreedyLB of Charm++.
struct greedy {
  object_moves operator()(const load_table& t) const;
};

/// Objects leave only nodes that need more than `tolerance` times the mean, until they do not: few moves. The usual choice.
///
///   returns  a node that does not need more gives nothing away
///   Source   RefineLB of Charm++; ours looks for the one object that is enough before it takes several.
struct refine {
  double tolerance = 1.05;
  object_moves operator()(const load_table& t) const;
};

/// Nodes that are neighbours even out, pair after pair, for some sweeps: each decides by what it and one other node have.
///
///   Source   dimension exchange: Cybenko, "Dynamic load balancing for distributed memory multiprocessors", 1989
struct diffusion {
  enum class shape : std::uint8_t { ring, hypercube };
  shape neighbours = shape::hypercube;  // whose numbers differ in one bit; also where nodes are no power of two
  unsigned sweeps = 8;                  // over all pairs; fewer if nothing moves any more
  object_moves operator()(const load_table& t) const;
};

/// Nodes that have less than `idle_below` of the mean take from the one that has most, the idlest first, until both have the same.
///
///   Source   work stealing by whole objects: PREMA
struct stealing {
  double idle_below = 0.5;
  object_moves operator()(const load_table& t) const;
};

}  // namespace balancers

/// The same decisions by what objects say of themselves, in place of what was measured. Nothing is known of backgrounds then, nor of
/// devices.
balancer by_hints(balancer decide);

}  // namespace stretto

STRETTO_API_END
