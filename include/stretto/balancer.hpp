// balancer.hpp - balancers: functions from a table of loads to a list of moves. Some are provided; you can write your
// own.
//
//     object_moves move_all_to_node_0(const load_table& t) {  // a balancer of the program's own
//       object_moves m;
//       for (std::size_t i = 0; i < t.objects.size(); ++i) m.push_back({.object = i, .to = 0});
//       return m;
//     }
//     double imbalance_after_refinement(const load_table& t) {  // 1 is best
//       return imbalance(moved(t, balancers::refine{.tolerance = 1.1}(t)));
//     }
//     void use_them(const collection<std::vector<float>>& cells) {
//       balance(cells, balancers::greedy{}).get();
//       balance(cells, move_all_to_node_0).get();
//     }
//
// A balancer is any function with the signature of move_all_to_node_0. It only decides; balance() migrates the objects.
//
// Threads     Pure functions.
// Invariants  Of the balancers in this file: (1) The same table gives the same moves, on every node. (2) The largest
//             time of a node never grows. (3) Each object moves at most once, to a node with a speed above 0; an object
//             without load stays.
// Source      With each balancer.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The input of a balancer: the load of each object and the speed of each node. Loads that are negative or not finite
/// count as 0.
struct load_table {
  struct object {
    std::uint64_t id = 0;       // its index in the collection; in a round over all objects, an id
    std::uint32_t node = 0;     // its current node
    double seconds = 0;         // load: time of its handlers since the last round
    double hint = 1;            // its own statement, in any unit (load_hint(), balancing.hpp)
    std::uint64_t bytes = 0;    // of a migration, approximately
    double device_seconds = 0;  // device time of launches on object<T>s by its handlers
  };
  struct node {
    double speed = 1;              // relative to other nodes: its number of workers. 0: the node accepts no objects
    double background = 0;         // load that cannot move, in seconds
    double devices = 0;            // the same for devices: their number
    double device_background = 0;  // device load that cannot move, in seconds
  };
  std::vector<object> objects = {};  // in the order of their ids
  std::vector<node> nodes = {};      // by node; a failed one has speed 0
};

/// One decision of a balancer: object `object`, an index into load_table::objects, migrates to node `to`.
struct object_move {
  std::size_t object = 0;  // an index into load_table::objects
  std::uint32_t to = 0;    // the number of the new node
  friend bool operator==(const object_move&, const object_move&) = default;
};
/// The decisions of a balancer: at most one move per object.
using object_moves = std::vector<object_move>;
/// A balancer: a function from the loads of a round to its moves. It runs on one node, as a task.
using balancer = std::function<object_moves(const load_table&)>;

/// The scarcest resource in the whole table: devices, if sum(device_seconds) / sum(devices) is larger than the same
/// quotient of workers. The balancers in this file, and imbalance(), use the load and speed of this resource only. A
/// node of speed 0 still accepts no objects.
enum class scarce : std::uint8_t { workers, devices };
/// The scarcest resource of this table. Never throws.
scarce scarcest(const load_table& t);

/// The time of the slowest node relative to perfect balance: max(load / speed) to sum(load) / sum(speed), of the
/// scarcest resource. 1 without load; infinite if a node of speed 0 has load.
///
///     two nodes of speed 1 with 3 and 1 seconds  ->  1.5
///
///   throws   std::bad_alloc only
double imbalance(const load_table& t);

/// The load table as it would be after these moves.
///
///   throws   G05 if a move names an object or a node that is not in the table, or an object twice
load_table moved(const load_table& t, const object_moves& moves);

namespace balancers {

/// A balancer that moves nothing, for measurements and comparisons.
struct none {
  /// The moves for this table. Throws std::bad_alloc only.
  object_moves operator()(const load_table& t) const;
};

/// Heaviest object first, each to the node that would finish it first, wherever the object was: the best balance, with
/// many moves.
///
///   returns  on m nodes of one speed: no node has more than mean + (1 - 1/m) * heaviest object, or than its
///            background; the time is at most 4/3 - 1/(3m) of the best possible without background
///   cost     O(objects * (log objects + log nodes)), times the number of unlike speeds
///   Source   longest processing time first: Graham, "Bounds on multiprocessing timing anomalies", 1969. GreedyLB of
///            Charm++.
struct greedy {
  /// The moves for this table. Throws std::bad_alloc only.
  object_moves operator()(const load_table& t) const;
};

/// Objects leave only nodes that need more than `tolerance` times the mean, until no node does: few moves. The usual
/// choice.
///
///   returns  no move from a node that does not need more
///   Source   RefineLB of Charm++. Ours looks for one object that is enough before it takes several.
struct refine {
  double tolerance = 1.05;  // > 1; largest accepted time of a node, relative to the mean
  /// The moves for this table. Throws std::bad_alloc only.
  object_moves operator()(const load_table& t) const;
};

/// Neighbouring nodes even out their loads, pair by pair, in some sweeps. Each pair uses its own two loads only.
///
///   Source   dimension exchange: Cybenko, "Dynamic load balancing for distributed memory multiprocessors", 1989
struct diffusion {
  enum class shape : std::uint8_t { ring, hypercube };
  shape neighbours = shape::hypercube;  // whose numbers differ in one bit; any number of nodes
  unsigned sweeps = 8;                  // over all pairs; fewer if nothing moves any more
  /// The moves for this table. Throws std::bad_alloc only.
  object_moves operator()(const load_table& t) const;
};

/// Nodes with less than `idle_below` of the mean take objects from the busiest node until both need the same time; the
/// idlest node begins.
///
///   Source   work stealing by whole objects: PREMA
struct stealing {
  double idle_below = 0.5;  // a fraction of the mean
  /// The moves for this table. Throws std::bad_alloc only.
  object_moves operator()(const load_table& t) const;
};

}  // namespace balancers

/// A balancer that applies `decide` to the objects' hints instead of their measured loads. Background and device loads
/// are then 0. Throws what copying `decide` throws.
balancer by_hints(balancer decide);

}  // namespace stretto

STRETTO_API_END
