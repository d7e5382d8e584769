// order_check.hpp - STRETTO_CHECK=1: finds unordered conflicting accesses to instances, and reads of unwritten
// elements.
//
// Accesses are checked in the order in which operations begin. happens_before knows what each follows: the
// preconditions of operations, tasks and merges, the waits of tasks, and the task that spawned it. Predecessors of
// other events (user events, barriers, reservations, promises, graphs) are unknown: they count as following all
// operations that have begun. Reported errors are therefore certain, and some errors are missed.
//
// Threads     any; one lock.
// Cost        only if switched on. Per operation: the clocks of its predecessors, and a check of the kept accesses to
//             its instances.
// Memory      bounded: see happens_before and access_history; a record for each live task.
// Source      happens-before races: Lamport 1978; see happens_before and access_history.
#pragma once

#include <stretto/error.hpp>

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/order_observer.hpp"
#include "data/access_history.hpp"
#include "data/happens_before.hpp"
#include "data/operation_request.hpp"

namespace stretto {
class preconditions;
namespace data {

/// The runtime's order observer, from before its data floor starts until its last thread has left.
class order_check final : public base::order_observer {
 public:
  using node_id = happens_before::node_id;

  void spawned(const void* task, base::thread_context& by) noexcept override;
  void follows(const void* task, base::awaited precondition) noexcept override;
  void reused(const void* record) noexcept override;
  void waited(base::awaited what, base::thread_context& by) noexcept override;
  void synchronised(base::thread_context& by) noexcept override;
  void merges(std::uint64_t merged, base::awaited input) noexcept override;

  /// Registers an operation submitted by the calling thread, which runs after `after`, once the instances exist, and
  /// ends with `done`.
  node_id submitted(const preconditions& after, std::span<const detail::instance_handle> used, event done,
                    base::thread_context& by);
  /// Sets the event with which it ends, if it is created later.
  void ends_with(node_id n, event done);

  /// The operation begins. Throws D21 if a conflicting access is not ordered with it, D22 if it reads elements that
  /// nothing has written.
  void begins(node_id n, const operation_request& r);
  /// The instance is destroyed. Returns the error D21 if a use of it is not ordered before.
  std::optional<error> check_destruction(node_id n, const detail::instance_handle& h);
  /// Registers accesses of an operation of unknown order.
  void untracked(const operation_request& r);
  /// From now on the program reads and writes the elements directly, which is not visible.
  void opened(const detail::instance_handle& h);
  /// Fills memory with values that are noticed when they are read.
  static void poison(const detail::instance_record& r) noexcept;

  /// Drops the instances of a data floor that has ended.
  void forget_instances();

  /// Numbers of kept entries.
  struct sizes {
    std::size_t tasks, events, chains, instances, accesses;
  };
  sizes size();

 private:
  struct access : element_access {
    const detail::instance_handle* instance = nullptr;
    access_history* past = nullptr;
  };

  happens_before::wait_history& wait_history_of(base::thread_context& by);
  /// The node of a dependency; 0 for one that has always happened, `unknown` for one without known predecessors.
  node_id of(base::awaited what);
  void follow(node_id n, base::awaited what);
  access_history& history_of(const detail::instance_handle& h);
  void collect(const operation_request& r);
  void add(const detail::instance_handle& h, const box& where, access_kind kind, const operation_request& r);
  std::optional<error> unwritten(const operation_request& r);
  std::optional<error> conflict(const access& a);

  static constexpr node_id unknown = ~node_id{0};

  std::mutex mutex_;
  happens_before order_;
  std::unordered_map<const void*, happens_before::wait_history> tasks_;   // by record
  std::unordered_map<const void*, happens_before::wait_history> bodies_;  // by worker: code there that is no task
  happens_before::wait_history outside_;                                  // all other threads
  std::unordered_map<std::uint64_t, access_history> instances_;           // by key
  std::vector<access> now_;                                               // of the operation being checked
};

}  // namespace data
}  // namespace stretto
