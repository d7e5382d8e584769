// balancing.hpp - balancing rounds: mobile objects migrate to nodes that have time for them.
//
//     struct cell {
//       std::vector<float> particles;
//       explicit cell(std::size_t = 0) {}
//       void step() {}
//       double load_hint() const { return double(particles.size()); }  // optional
//       template <class Archive>
//       friend void fields(Archive& a, archived<cell, Archive>& c) { a(c.particles); }
//     };
//     void simulate(int steps) {
//       auto cells = make_collection<cell>(256);
//       measure_loads().get();
//       for (int t = 0; t < steps; ++t) {
//         finish([&] { broadcast(cells, call<&cell::step>()); });
//         if (t % 20 == 19) balance(cells, balancers::refine{}).get();
//       }
//     }
//
// A round asks every node for the cost of its objects on workers and devices since the last round over them. It gives
// this table to a balancer (balancer.hpp) and migrates the objects that the balancer names. Messages may be under way
// meanwhile; they follow their objects. With the option `balance`, the runtime itself starts a round over all objects
// every 500 milliseconds.
//
// An object may state its own weight for by_hints(...). The runtime calls load_hint() after each handler that may have
// changed the object.
//
// Threads     Any thread that belongs to a runtime.
// Cost        A round: two messages to each node, and a migration for each move. Measuring: two clock reads per handler
//             once measuring has started; a load and a branch before.
// Invariants  (1) A round ends, whichever nodes fail: failed nodes and their objects are left out. (2) An object that
//             cannot move stays, and is counted.
// Source      Measurement-based balancing of objects: Charm++ and PREMA.
#pragma once

#include <stretto/balancer.hpp>
#include <stretto/collection.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// The result of a balancing round.
struct balance_report {
  std::size_t objects = 0;       // in the table
  std::size_t moves = 0;         // decided
  std::size_t moved = 0;         // done; the other objects were destroyed, on failed nodes, or could not be sent
  std::size_t silent = 0;        // nodes that failed and were left out
  double seconds = 0;            // load in the table, of workers and of devices
  double before = 1, after = 1;  // imbalance of the table, and as decided
};

namespace detail {
struct object_range {
  std::uint64_t first = 0, count = 0;  // count 0: all objects
};
future<balance_report> balance_objects(object_range which, balancer by, const std::source_location& where);
template <class T>
object_range range_of(const collection<T>& of) {
  return of.size() ? object_range{mobile_access::id_of(of[0]), of.size()} : object_range{~std::uint64_t{0}, 1};
}
}  // namespace detail

/// Starts one balancing round over the elements of a collection; other objects count as background. A round waits for
/// the running handlers of elements that move: no handler of an element may wait for this future.
///
///   by       called once, on the caller's node, as a task; if it throws, the future fails and nothing moves
///   returns  a future that is ready when all moved objects have arrived
///   throws   B20. The future fails with G05 if `by` returns moves that do not fit the table
///
/// The first round starts the measuring, unless it has started before: then all loads are 0, and only hints are known.
/// An object that is still being made on its node has a hint of 1. Once a broadcast has been answered, all elements
/// have been made.
template <class T>
future<balance_report> balance(const collection<T>& of, balancer by,
                               std::source_location where = std::source_location::current()) {
  return detail::balance_objects(detail::range_of(of), std::move(by), where);
}
/// Starts one balancing round over all mobile objects of the job. Throws B20.
inline future<balance_report> balance(balancer by, std::source_location where = std::source_location::current()) {
  return detail::balance_objects({}, std::move(by), where);
}

/// Makes every node measure, from now on, the time of handlers and the device time of launches on object<T>s that
/// handlers submit themselves. Tasks that a handler spawns do not count, nor does the time that it waits. The future is
/// ready when all nodes measure; failed nodes are skipped. Throws B20.
future<void> measure_loads(std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
