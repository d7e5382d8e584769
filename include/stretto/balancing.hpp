// balancing.hpp - mobile objects move to where there is time for them: rounds of balancing, which a program asks for.
//
//     auto cells = make_collection<cell>(256);
//     measure_loads().get();                                        // from now on
//     for (int t = 0; t < steps; ++t) {
//       finish([&] { broadcast(cells, call<&cell::step>()); });
//       if (t % 20 == 19) balance(cells, balancers::refine{}).get();
//     }
//
// A round asks every node what its objects have cost since the last round over them, on workers and on devices, hands the table to a
// balancer (balancer.hpp) and moves what that names. Messages fly meanwhile, and go along. The option `balance` makes rounds over all objects by itself, every
// `balance_ms`.
//
// An object may say itself how heavy it is, for by_hints(...): a member function is asked after each handler that may have changed it.
//
//     double cell::load_hint() const { return double(particles.size()); }
//
// Threads     any that belongs to a runtime.
// Cost        a round: two messages to each node and a migration for each move. Measuring: two readings of the clock for each handler, once
//             somebody has asked for it; a load and a branch before.
// Invariants  (1) a round ends, whatever nodes are lost: they, and what is theirs, are left out. (2) what cannot move stays, and is counted.
// Source      measurement-based balancing of objects: Charm++ and PREMA.
#pragma once

#include <stretto/balancer.hpp>
#include <stretto/collection.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// How a round ended.
struct balance_report {
  std::size_t objects = 0;  // in its table
  std::size_t moves = 0;    // that were decided
  std::size_t moved = 0;    // and done; the others' objects were destroyed, lost, or could not travel
  std::size_t silent = 0;   // nodes that were lost, and left out
  double seconds = 0;       // of load in the table, of workers and of devices
  double before = 1, after = 1;  // imbalance of the table, and as decided
};

namespace detail {
struct object_range {
  std::uint64_t first = 0, count = 0;  // no count: all
};
future<balance_report> balance_objects(object_range which, balancer by, const std::source_location& where);
template <class T>
object_range range_of(const collection<T>& of) {
  return of.size() ? object_range{mobile_access::id_of(of[0]), of.size()} : object_range{~std::uint64_t{0}, 1};
}
}  // namespace detail

/// One round over the elements of a collection; other objects are background. The handlers that run on elements that move are waited for,
/// so no handler of an element may wait for this future.
///
///   by       is called once, on the caller's node, as a task; what it throws is the future's failure, and nothing moves
///   throws   B20. The future fails with G05 if `by` returns what its table does not have
///
/// The first round starts the measuring, if nobody has before: then all loads are 0, and hints are all there is to go by. An object that is
/// still being made on its node has a hint of 1: a broadcast that has been answered is a sign that all are made.
template <class T>
future<balance_report> balance(const collection<T>& of, balancer by, std::source_location where = std::source_location::current()) {
  return detail::balance_objects(detail::range_of(of), std::move(by), where);
}
/// The same over all mobile objects of the job.
inline future<balance_report> balance(balancer by, std::source_location where = std::source_location::current()) {
  return detail::balance_objects({}, std::move(by), where);
}

/// Every node measures what handlers take from now on, and what devices take to compute the launches on object<T>s that handlers submit
/// themselves. What they spawn is not theirs; what they wait for takes no time.
future<void> measure_loads(std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
